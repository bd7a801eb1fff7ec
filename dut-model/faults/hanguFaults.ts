/** All bugs that can be planted in the HanGu model, in the order of `--list-faults`. */
import { ATOMIC_FAULTS } from './atomics/atomicFaults.ts';
import { CHANGE_FAULTS } from './changeFaults.ts';
import { COMMAND_FAULTS } from './commandFaults.ts';
import { COMPLETION_FAULTS } from './completionFaults.ts';
import { CQE_FAULTS } from './cqeFaults.ts';
import { DATAGRAM_FAULTS } from './datagramFaults.ts';
import { DOMAIN_FAULTS } from './domainFaults.ts';
import { ERROR_FAULTS } from './errorFaults.ts';
import { EVENT_FAULTS } from './eventFaults.ts';
import type { Fault } from './fault.ts';
import { GATHER_FAULTS } from './gatherFaults.ts';
import { HEADER_FAULTS } from './headerFaults.ts';
import { FORMER_LIFE_FAULTS } from './formerLifeFaults.ts';
import { INIT_FAULTS } from './initFaults.ts';
import { INJECTED_FAULTS } from './injectedFaults.ts';
import { INLINE_FAULTS } from './inlineFaults.ts';
import { DAMAGE_FAULTS } from './link/damageFaults.ts';
import { DUPLICATE_FAULTS } from './link/duplicateFaults.ts';
import { GAP_FAULTS } from './link/gapFaults.ts';
import { RECOVERY_FAULTS } from './link/recoveryFaults.ts';
import { LENGTH_FAULTS } from './lengthFaults.ts';
import { MEMORY_FAULTS } from './memoryFaults.ts';
import { PATIENCE_FAULTS } from './patienceFaults.ts';
import { PAYLOAD_FAULTS } from './payloadFaults.ts';
import { ANSWER_FAULTS } from './pcie/answerFaults.ts';
import { CONTEXT_FAULTS } from './pcie/contextFaults.ts';
import { MAILBOX_FAULTS } from './pcie/mailboxFaults.ts';
import { OUTCOME_FAULTS } from './pcie/outcomeFaults.ts';
import { PORT_FAULTS } from './portFaults.ts';
import { RECREATED_FAULTS } from './recreatedFaults.ts';
import { REGISTER_FAULTS } from './registerFaults.ts';
import { POSTED_IN_ERROR_FAULTS } from './postedInErrorFaults.ts';
import { QUERY_FAULTS } from './queryFaults.ts';
import { REGION_FAULTS } from './regionFaults.ts';
import { REQUESTER_FAULTS } from './requesterFaults.ts';
import { RECEIVE_QUEUE_FAULTS } from './receiveQueueFaults.ts';
import { NIC_RESET_FAULTS } from './nicResetFaults.ts';
import { RESET_FAULTS } from './resetFaults.ts';
import { RESIZE_FAULTS } from './resizeFaults.ts';
import { RESPONDER_FAULTS } from './responderFaults.ts';
import { RESPONSE_FAULTS } from './responseFaults.ts';
import { RESTART_FAULTS } from './restartFaults.ts';
import { RIGHTS_FAULTS } from './rightsFaults.ts';
import { RETRY_FAULTS } from './retryFaults.ts';
import { SHARED_FAULTS } from './sharedFaults.ts';
import { SOLICITED_FAULTS } from './solicitedFaults.ts';
import { STATE_FAULTS } from './stateFaults.ts';
import { USED_KEY_FAULTS } from './usedKeyFaults.ts';
import { WIRE_FAULTS } from './wireFaults.ts';
import { ADDRESS_FAULTS } from './addressFaults.ts';

export const HANGU_FAULTS: readonly Fault[] = [
  ...CQE_FAULTS,
  ...COMPLETION_FAULTS,
  ...GATHER_FAULTS,
  ...REQUESTER_FAULTS,
  ...INLINE_FAULTS,
  ...PAYLOAD_FAULTS,
  ...DATAGRAM_FAULTS,
  ...RESPONDER_FAULTS,
  ...RESPONSE_FAULTS,
  ...RECEIVE_QUEUE_FAULTS,
  ...ERROR_FAULTS,
  ...MEMORY_FAULTS,
  ...DOMAIN_FAULTS,
  ...QUERY_FAULTS,
  ...REGION_FAULTS,
  ...LENGTH_FAULTS,
  ...USED_KEY_FAULTS,
  ...EVENT_FAULTS,
  ...RESIZE_FAULTS,
  ...SOLICITED_FAULTS,
  ...WIRE_FAULTS,
  ...ADDRESS_FAULTS,
  ...HEADER_FAULTS,
  ...SHARED_FAULTS,
  ...PORT_FAULTS,
  ...RETRY_FAULTS,
  ...PATIENCE_FAULTS,
  ...RESTART_FAULTS,
  ...FORMER_LIFE_FAULTS,
  ...RESET_FAULTS,
  ...NIC_RESET_FAULTS,
  ...RECREATED_FAULTS,
  ...RIGHTS_FAULTS,
  ...CHANGE_FAULTS,
  ...COMMAND_FAULTS,
  ...REGISTER_FAULTS,
  ...INIT_FAULTS,
  ...POSTED_IN_ERROR_FAULTS,
  ...STATE_FAULTS,
  ...GAP_FAULTS,
  ...DUPLICATE_FAULTS,
  ...RECOVERY_FAULTS,
  ...DAMAGE_FAULTS,
  ...INJECTED_FAULTS,
  ...ANSWER_FAULTS,
  ...OUTCOME_FAULTS,
  ...CONTEXT_FAULTS,
  ...MAILBOX_FAULTS,
  ...ATOMIC_FAULTS,
];
