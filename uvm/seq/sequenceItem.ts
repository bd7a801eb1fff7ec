/** The handshake of an item between sequence and sequencer, opaque to everybody else. */
export interface ItemHandshake {
  /** The sequencer. */
  readonly owner: { readonly fullName: string };
}

/** What a sequence sends to a driver, and a driver may send back (1800.2 14.1 `uvm_sequence_item`). @public */
export class SequenceItem {
  /** For reports; may be empty. */
  readonly name: string;
  /** Number of the sequence that sent it; -1 before it is sent. */
  sequenceId = -1;
  /** Number within its sequence, by which a response can be asked for; -1 lets the sequence number it. */
  transactionId = -1;
  /** The handshake it is in; owned by sequence and sequencer. */
  request: ItemHandshake | null = null;

  constructor(name = '') {
    this.name = name;
  }

  /** Makes this item the response to `request`: the sequencer delivers it to the sequence that sent the request. */
  setIdInfo(request: SequenceItem): void {
    this.sequenceId = request.sequenceId;
    this.transactionId = request.transactionId;
  }

  /** One line for logs; subclasses say what they hold. */
  convertToString(): string {
    return this.name === '' ? this.constructor.name : `${this.constructor.name} ${this.name}`;
  }
}
