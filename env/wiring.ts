/** Connects the analysis ports of hosts and link with scoreboard and wire monitor. */

import type { LinkAgent } from '../agents/link/linkAgent.ts';
import type { WireMonitor } from '../agents/link/wireMonitor.ts';
import type { HostTlp } from '../agents/pcie/tlpPool.ts';
import type { Scoreboard } from '../scoreboard/scoreboard.ts';
import type { Subscriber } from '../uvm/tlm/analysisPort.ts';
import type { HostEnv } from './hostEnv.ts';

/** A host's ports. A write reaches the scoreboard before the completion that it may carry. */
export function wireHost(env: HostEnv, scoreboard: Scoreboard, monitor: WireMonitor | null): void {
  const { ports, host } = env;
  ports.qps.connect((info) => scoreboard.qpReady(info));
  ports.qpsGone.connect((gone) => scoreboard.qpGone(gone.host, gone.qpn));
  ports.mrs.connect((info) => scoreboard.mrRegistered(info));
  ports.mrsGone.connect((gone) => scoreboard.mrGone(gone.host, gone.key));
  ports.postedSends.connect((item) => scoreboard.postedSend(item));
  ports.postedRecvs.connect((item) => scoreboard.postedRecv(item));
  ports.completions.connect((item) => scoreboard.completion(item));
  ports.areas.connect((a) => {
    if (a.allowed) scoreboard.allowArea(a.host, a.kind, a.hi, a.lo, a.length, a.id, a.offset, a.ringBytes);
    else scoreboard.forbidArea(a.host, a.hi, a.lo, a.length);
  });
  env.agent.writes.connect(new CheckedWrites(scoreboard, host));
  env.watchWrites();
  if (monitor === null) return;
  ports.qps.connect((info) => monitor.qpReady(info));
  ports.qpsGone.connect((gone) => monitor.qpGone(gone.host, gone.qpn));
}

/** Shows a host's writes to the scoreboard. A class, so that the engine knows what it calls. */
class CheckedWrites implements Subscriber<HostTlp> {
  readonly #scoreboard: Scoreboard;
  readonly #host: number;

  constructor(scoreboard: Scoreboard, host: number) {
    this.#scoreboard = scoreboard;
    this.#host = host;
  }

  write(tlp: HostTlp): void {
    this.#scoreboard.dmaWrite(this.#host, tlp);
  }
}

/** The wire: every frame as it leaves a NIC, before any fault. */
export function wireLink(link: LinkAgent, scoreboard: Scoreboard, monitor: WireMonitor | null): void {
  if (monitor === null) return;
  link.frames.connect(monitor);
  monitor.packets.connect((packet) => scoreboard.packet(packet));
}
