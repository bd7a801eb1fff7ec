/** All bugs that can be planted in the HanGu model, in the order of `--list-faults`. */
import { ATOMIC_FAULTS } from './atomics/atomicFaults.ts';
import { CHANGE_FAULTS } from './control/changeFaults.ts';
import { BUDGET_FAULTS } from './corners/budgetFaults.ts';
import { COINCIDENCE_FAULTS } from './corners/coincidenceFaults.ts';
import { ROUTE_FAULTS } from './corners/routeFaults.ts';
import { WIDTH_FAULTS } from './corners/widthFaults.ts';
import { COMMAND_FAULTS } from './control/commandFaults.ts';
import { COMPLETION_FAULTS } from './queues/completionFaults.ts';
import { CQE_FAULTS } from './queues/cqeFaults.ts';
import { DECLARED_FAULTS } from './transport/declaredFaults.ts';
import { DATAGRAM_FAULTS } from './transport/datagramFaults.ts';
import { HANDLE_FAULTS } from './transport/handleFaults.ts';
import { DOMAIN_FAULTS } from './memory/domainFaults.ts';
import { ERROR_FAULTS } from './transport/errorFaults.ts';
import { EVENT_FAULTS } from './queues/eventFaults.ts';
import type { Fault } from './fault.ts';
import { GATHER_FAULTS } from './memory/gatherFaults.ts';
import { HEADER_FAULTS } from './transport/headerFaults.ts';
import { FORMER_LIFE_FAULTS } from './life/formerLifeFaults.ts';
import { INIT_FAULTS } from './control/initFaults.ts';
import { INJECTED_FAULTS } from './transport/injectedFaults.ts';
import { INLINE_FAULTS } from './memory/inlineFaults.ts';
import { DAMAGE_FAULTS } from './link/damageFaults.ts';
import { DUPLICATE_FAULTS } from './link/duplicateFaults.ts';
import { GAP_FAULTS } from './link/gapFaults.ts';
import { RECOVERY_FAULTS } from './link/recoveryFaults.ts';
import { LENGTH_FAULTS } from './memory/lengthFaults.ts';
import { MEMORY_FAULTS } from './memory/memoryFaults.ts';
import { PATIENCE_FAULTS } from './transport/patienceFaults.ts';
import { PAYLOAD_FAULTS } from './memory/payloadFaults.ts';
import { ANSWER_FAULTS } from './pcie/answerFaults.ts';
import { CONTEXT_FAULTS } from './pcie/contextFaults.ts';
import { MAILBOX_FAULTS } from './pcie/mailboxFaults.ts';
import { OUTCOME_FAULTS } from './pcie/outcomeFaults.ts';
import { PORT_FAULTS } from './transport/portFaults.ts';
import { CODEC_FAULTS } from './transport/codecFaults.ts';
import { RAW_FAULTS } from './transport/rawFaults.ts';
import { RECREATED_FAULTS } from './queues/recreatedFaults.ts';
import { RECREATED_SHARED_FAULTS } from './queues/recreatedSharedFaults.ts';
import { REGISTER_FAULTS } from './control/registerFaults.ts';
import { POSTED_IN_ERROR_FAULTS } from './life/postedInErrorFaults.ts';
import { QUERY_FAULTS } from './control/queryFaults.ts';
import { REGION_FAULTS } from './memory/regionFaults.ts';
import { REQUESTER_FAULTS } from './transport/requesterFaults.ts';
import { RECEIVE_QUEUE_FAULTS } from './queues/receiveQueueFaults.ts';
import { NIC_RESET_FAULTS } from './life/nicResetFaults.ts';
import { RESET_FAULTS } from './life/resetFaults.ts';
import { RESIZE_FAULTS } from './queues/resizeFaults.ts';
import { RESPONDER_FAULTS } from './transport/responderFaults.ts';
import { RESPONSE_FAULTS } from './transport/responseFaults.ts';
import { RESTART_FAULTS } from './life/restartFaults.ts';
import { RIGHTS_FAULTS } from './transport/rightsFaults.ts';
import { RETRY_FAULTS } from './transport/retryFaults.ts';
import { SHARED_FAULTS } from './transport/sharedFaults.ts';
import { SOLICITED_FAULTS } from './queues/solicitedFaults.ts';
import { STATE_FAULTS } from './control/stateFaults.ts';
import { CQ_OVERFLOW_FAULTS } from './queues/cqOverflowFaults.ts';
import { SHARED_RECEIVE_FAULTS } from './queues/sharedReceiveFaults.ts';
import { UNSIGNALLED_FAULTS } from './queues/unsignalledFaults.ts';
import { USED_KEY_FAULTS } from './memory/usedKeyFaults.ts';
import { INVALIDATION_FAULTS } from './keys/invalidationFaults.ts';
import { LATE_COPY_FAULTS } from './keys/lateCopyFaults.ts';
import { WINDOW_FAULTS } from './keys/windowFaults.ts';
import { WIRE_FAULTS } from './transport/wireFaults.ts';
import { ADDRESS_FAULTS } from './transport/addressFaults.ts';

export const HANGU_FAULTS: readonly Fault[] = [
  ...CQE_FAULTS,
  ...COMPLETION_FAULTS,
  ...GATHER_FAULTS,
  ...REQUESTER_FAULTS,
  ...INLINE_FAULTS,
  ...PAYLOAD_FAULTS,
  ...DATAGRAM_FAULTS,
  ...HANDLE_FAULTS,
  ...RAW_FAULTS,
  ...CODEC_FAULTS,
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
  ...UNSIGNALLED_FAULTS,
  ...CQ_OVERFLOW_FAULTS,
  ...SHARED_RECEIVE_FAULTS,
  ...WINDOW_FAULTS,
  ...INVALIDATION_FAULTS,
  ...LATE_COPY_FAULTS,
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
  ...RECREATED_SHARED_FAULTS,
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
  ...DECLARED_FAULTS,
  ...COINCIDENCE_FAULTS,
  ...BUDGET_FAULTS,
  ...WIDTH_FAULTS,
  ...ROUTE_FAULTS,
];
