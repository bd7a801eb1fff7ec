/** All covergroups of RDMA by name, for those that only want to know which there are. */

import { Covergroup } from '../uvm/coverage/covergroup.ts';
import * as pcie from './pcie/pcieGroups.ts';
import * as handles from './verbs/ah/ahGroups.ts';
import * as keys from './verbs/keys/keyGroups.ts';
import * as shared from './verbs/srq/srqGroups.ts';
import * as overflows from './verbs/overflowGroups.ts';
import * as unsignalled from './verbs/work/unsignalledGroups.ts';
import * as buffers from './verbs/work/bufferGroups.ts';
import * as completions from './verbs/work/completionGroups.ts';
import * as queuePairs from './verbs/queuePairGroups.ts';
import * as queues from './verbs/queueGroups.ts';
import * as requests from './verbs/work/requestGroups.ts';
import * as atomics from './wire/atomicGroups.ts';
import * as linkFaults from './wire/linkFaultGroups.ts';
import * as faultStates from './wire/faultStateGroups.ts';
import * as packets from './wire/packetGroups.ts';
import * as recovery from './wire/recoveryGroups.ts';
import * as nicPorts from './wire/portGroups.ts';

const MODULES: readonly Readonly<Record<string, unknown>>[] = [
  requests,
  buffers,
  completions,
  queuePairs,
  queues,
  overflows,
  unsignalled,
  shared,
  handles,
  keys,
  packets,
  nicPorts,
  linkFaults,
  faultStates,
  recovery,
  atomics,
  pcie,
];

export function rdmaCovergroups(): readonly Covergroup<never>[] {
  return MODULES.flatMap((exported) => Object.values(exported)).filter((value) => value instanceof Covergroup);
}
