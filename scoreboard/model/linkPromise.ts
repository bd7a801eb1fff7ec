/** What may be relied on between the ports. It may get worse while a run goes on, never better. */
export class LinkPromise {
  /** The link delivers everything, whole, once and in time: only a NAK or a time-out is a reason to send a packet again. */
  lossless: boolean;

  constructor(lossless: boolean) {
    this.lossless = lossless;
  }
}
