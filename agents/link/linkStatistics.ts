/** Frames that one host's port has carried since the start of the run. */
export class LinkStatistics {
  sentFrames = 0;
  sentBytes = 0;
  receivedFrames = 0;
  receivedBytes = 0;
  droppedFrames = 0;
  /** Time for which the port's transmit direction was busy, ps. */
  busy = 0;

  /** One line for the report at the end of a run. */
  toString(): string {
    return (
      `sent ${this.sentFrames} frames (${this.sentBytes} B), received ${this.receivedFrames} ` +
      `(${this.receivedBytes} B), lost ${this.droppedFrames}, transmitter busy ${(this.busy / 1e6).toFixed(3)} us`
    );
  }
}
