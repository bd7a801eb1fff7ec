/** How the parameters of a run become the options of its environment. */
import { RNR_TIMER_10US } from '../rdma/bth.ts';
import type { NicBuilder } from '../dut-model/nic.ts';
import type { EnvOptions } from '../env/envSettings.ts';
import type { ConnectAttributes } from '../env/hostApi.ts';
import { CHECK_LEVEL } from '../scoreboard/options.ts';
import type { RunConfig } from '../sequences/parameters/runConfig.ts';
import { MAX_PROCESS_NUMBER } from '../sequences/scenario/cqPlacement.ts';
import { NS, US } from '../uvm/kernel/time.ts';

/** Options of `HcaEnv`. */
export function envOptionsOf(settings: RunConfig, nic: NicBuilder): EnvOptions {
  const v = settings.values;
  return {
    hosts: v.HOST_NUM,
    processes: Math.min(v.PROC_NUM, MAX_PROCESS_NUMBER),
    queuePairs: v.RC_QP_NUM + v.UC_QP_NUM + v.UD_QP_NUM,
    nic,
    nicKnobs: settings.nicKnobs,
    pages: v.PAGE_SCATTER ? 'scattered' : 'contiguous',
    pcie: {
      maxPayload: v.PCIE_MPS,
      maxReadRequest: v.PCIE_MRRS,
      readCompletionBoundary: v.PCIE_RCB,
      tags: v.PCIE_TAGS,
      rate: v.PCIE_GBPS,
      upLatency: v.PCIE_UP_NS * NS,
      downLatency: v.PCIE_DOWN_NS * NS,
      memoryLatency: v.PCIE_MEMORY_NS * NS,
      splitChance: v.PCIE_CPL_SPLIT / 100,
      reorderChance: v.PCIE_CPL_REORDER / 100,
    },
    link: { rate: v.LINK_GBPS, latency: v.LINK_LATENCY_NS * NS },
    checkLevel: v.CHECKS ? CHECK_LEVEL.full : CHECK_LEVEL.off,
    wireMonitor: v.CHECKS,
    stallTime: Math.max(v.STALL_TIME, 2 * longestRnrWait(v.MIN_RNR_TIMER)),
  };
}

/** Time in ps that a receiver without a receive may tell a sender to wait. */
function longestRnrWait(code: number): number {
  return (RNR_TIMER_10US[code] as number) * 10 * US;
}

/** Attributes that all queue pairs are connected with. */
export function connectAttributesOf(settings: RunConfig): ConnectAttributes {
  const v = settings.values;
  return {
    ipv6: v.IPV6,
    trafficClass: v.TRAFFIC_CLASS,
    flowLabel: v.FLOW_LABEL,
    hopLimit: v.HOP_LIMIT,
    timeout: v.ACK_TIMEOUT,
    retryCnt: v.RETRY_CNT,
    rnrRetry: v.RNR_RETRY,
    minRnrTimer: v.MIN_RNR_TIMER,
    maxRdAtomic: v.MAX_RD_ATOMIC,
    maxDestRdAtomic: v.MAX_RD_ATOMIC,
  };
}
