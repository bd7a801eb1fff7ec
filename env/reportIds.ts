/**
 * Every report id that the environment uses. Stable: users filter, count and demote by these names.
 */
export const ENV_REPORT_IDS = {
  HCA_CMD_STATUS: 'a command ended with a status other than OK',
  HCA_CMD_TIMEOUT: 'the go bit of the command register stayed set',
  HCA_CMD_EARLY_STATUS: 'a status other than 0 was read while the go bit was still set',
  HCA_CMD_OUTBOX: 'a query ended with OK, but wrote no answer to its outbox',
  HCA_CMD_REFUSAL:
    'a command that must be refused ended with OK or with a wrong status, or a command was started without its go bit',
  HCA_ADAPTER: 'QUERY_ADAPTER did not return the expected board id',
  HCA_DEV_LIM: 'QUERY_DEV_LIM returned table entry sizes other than documented',
  HCA_LIMITS: 'the run exceeds the reported limits of the NIC; it ends, and the NIC is not judged',
  HCA_QUERY_QP: 'a connected queue pair does not have the written values',
  HCA_CQE_UNKNOWN_CQ: 'a write into the completion-queue area belongs to no completion queue',
  HCA_CQE_UNKNOWN_QP: 'a completion names a queue pair that does not exist on this host',
  HCA_CQE_WRONG_CQ: 'a completion was written to a queue that its queue pair does not use',
  HCA_CQE_SHAPE: 'a write into a completion queue is not one or more whole, aligned entries',
  HCA_CQE_INDEX:
    'a completion was written to another slot than the next one, or to the previous ring of a resized queue',
  HCA_CQE_OWNER: 'a completion was written without passing it to software (owner byte)',
  HCA_CQE_FIELD: 'a completion holds an opcode, direction or queue offset that does not exist',
  HCA_CQ_OVERRUN: 'a completion replaced one that software had not polled',
  HCA_CQE_RESERVED: 'a reserved field of a completion is not zero',
  HCA_EQE:
    'an event-queue entry is malformed, has a reserved word that is not 0, or names an object that does not exist',
  HCA_MSIX:
    'an interrupt came with the wrong address or data, without a new entry in its event queue, or although its vector is masked',
  HCA_ASYNC_EVENT: 'an asynchronous event (information, UVM_HIGH)',
  HCA_APERTURE:
    'software reads a line of memory on the card through the aperture, before it closes the device, and finds other bytes than the chips hold',
  HCA_LEAK: 'objects were left when the device was closed',
  HCA_LATE_DMA: 'the NIC wrote to host memory after CLOSE_HCA',
  HCA_RESET: 'a fault rule resets a NIC (information)',
  HCA_PLAN: 'requirements of this run (information)',
  FAULT_NOT_FIRED: 'a fault rule of the link has matched no frame, and is not optional',
  FAULT_SUMMARY: 'actions of fault rules, and their consequences (information)',
  FAULT_UNRELIABLE:
    'a fault rule may hit messages of UC or UD, which are not retransmitted: a wait for a lost one never ends (warning)',
  FAULT_FORGED:
    'a fault rule forges frames with a right CRC; their effects are reported as errors of the receiver (warning)',
  FAULT_ECN: 'congestion notification is requested, but no knob of this kind of NIC switches it on (warning)',
  HCA_POST_SEND: 'a work request of a send queue is posted (information, UVM_HIGH)',
  HCA_POST_RECV: 'a work request of a receive queue is posted (information, UVM_HIGH)',
  HCA_COMPLETION: 'a completion is in host memory (information, UVM_HIGH)',
  HCA_QP: 'a queue pair is ready to send, goes to ERR, or is reset or destroyed (information, UVM_HIGH)',
  HCA_MR: 'a memory region is registered or deregistered (information, UVM_HIGH)',
  HCA_COMMAND: 'a command has ended: name, modifier, status (information, UVM_HIGH)',
  HCA_DOORBELL: 'a doorbell reaches the NIC (information, UVM_FULL)',
} as const;

/** Name of a report of the environment. */
export type EnvReportId = keyof typeof ENV_REPORT_IDS;
