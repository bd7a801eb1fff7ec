/** Holds what a run needs of a host's NIC against the capabilities of its provider, before there is any traffic. */
import { type ProviderCapabilities, SERVICE_CAPABILITY } from '../../env/verbs/capabilities.ts';
import { DeviceLimitError } from '../../env/verbs/hostErrors.ts';
import type { TopologyPlan } from '../../config/scenario/scenario.ts';

/** What a run needs besides its queue pairs. */
export interface RunNeeds {
  /** Some request is a READ. */
  readonly reads: boolean;
  /** Some request may have its data inline. */
  readonly inline: boolean;
  /** Completions are taken by events. */
  readonly events: boolean;
  readonly ipv6: boolean;
}

type Capability = keyof ProviderCapabilities;

/** What the run does that needs a capability, and the parameter to change. */
const ADVICE: Readonly<Partial<Record<Capability, string>>> = {
  rc: 'RC queue pairs (use +RC_QP_NUM=0)',
  uc: 'UC queue pairs (use +UC_QP_NUM=0)',
  ud: 'UD queue pairs (use +UD_QP_NUM=0)',
  rdmaRead: 'READs (use +READ_WQE_NUM=0)',
  inline: 'inline data (use +MAX_INLINE=0)',
  events: 'completion events (use +CQ_EVENT=0)',
  ipv6: 'IPv6 (use +IPV6=0)',
};

/** @throws DeviceLimitError naming everything that the NIC does not have, with the parameter to change */
export function checkCapabilities(can: ProviderCapabilities, plan: TopologyPlan, host: number, needs: RunNeeds): void {
  const needed = new Set<Capability>();
  const allServices = can.rc && can.uc && can.ud;
  const qps = allServices ? 0 : plan.qpCount(host);
  for (let i = 0; i < qps; i++) needed.add(SERVICE_CAPABILITY[plan.qp(host, i).type]);
  if (needs.reads) needed.add('rdmaRead');
  if (needs.inline) needed.add('inline');
  if (needs.events) needed.add('events');
  if (needs.ipv6) needed.add('ipv6');
  const missing = [...needed].filter((capability) => !can[capability]);
  if (missing.length === 0) return;
  const texts = missing.map((capability) => `${capability}: ${ADVICE[capability] ?? capability}`);
  throw new DeviceLimitError(`host ${host}: this run needs what the provider of its NIC denies: ${texts.join('; ')}`);
}
