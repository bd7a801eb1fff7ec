import { QP_TYPE, QP_TYPE_NAME } from '../rdma/verbs.ts';
import type { ScenarioSource } from '../sequences/scenario.ts';
import { WorkPlan } from '../sequences/scenario/workPlan.ts';

/** The first queue pair of a scenario that receives messages nobody acknowledges; undefined when there is none. */
export function unreliableReceiver(source: ScenarioSource): string | undefined {
  const plan = new WorkPlan(source.maxRequests, source.maxSge);
  for (let host = 0; host < source.hosts; host++) {
    for (let qp = 0; qp < source.qpCount(host); qp++) {
      const { type } = source.qp(host, qp);
      if (type === QP_TYPE.rc || !receives(source, host, qp, plan)) continue;
      return `${QP_TYPE_NAME[type]} queue pair ${qp} of host ${host}`;
    }
  }
  return undefined;
}

function receives(source: ScenarioSource, host: number, qp: number, plan: WorkPlan): boolean {
  for (let doorbell = 0; doorbell < source.doorbells; doorbell++) {
    source.recvs(host, qp, doorbell, plan);
    if (plan.count > 0) return true;
  }
  return false;
}
