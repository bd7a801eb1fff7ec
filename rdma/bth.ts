/**
 * Base transport header vocabulary (roce-transport.md sections 1.4 to 1.6, 3.4). Data only: the NIC model and the
 * wire monitor each have a codec of their own.
 */

/** Operation, bits 4:0 of the opcode; the service class sits in bits 7:5. @public */
export const BTH_OP = {
  sendFirst: 0x00,
  sendMiddle: 0x01,
  sendLast: 0x02,
  sendLastImm: 0x03,
  sendOnly: 0x04,
  sendOnlyImm: 0x05,
  writeFirst: 0x06,
  writeMiddle: 0x07,
  writeLast: 0x08,
  writeLastImm: 0x09,
  writeOnly: 0x0a,
  writeOnlyImm: 0x0b,
  readRequest: 0x0c,
  readResponseFirst: 0x0d,
  readResponseMiddle: 0x0e,
  readResponseLast: 0x0f,
  readResponseOnly: 0x10,
  acknowledge: 0x11,
  atomicAcknowledge: 0x12,
  compareSwap: 0x13,
  fetchAdd: 0x14,
  sendLastInv: 0x16,
  sendOnlyInv: 0x17,
} as const;

/** @public */
export const BTH_CLASS = { rc: 0x00, uc: 0x20, ud: 0x60, cnp: 0x80 } as const;
/** @public */
export const OPCODE_CNP = 0x81;

/** @public */
export const UDP_PORT_ROCE = 4791;
/** @public */
export const PSN_MASK = 0xffffff;

/** AETH syndrome bytes. @public */
export const SYNDROME = {
  ack: 0x1f,
  rnr: 0x20,
  nakSequence: 0x60,
  nakInvalid: 0x61,
  nakAccess: 0x62,
  nakOperation: 0x63,
} as const;
