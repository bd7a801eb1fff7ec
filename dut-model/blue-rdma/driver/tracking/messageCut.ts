/**
 * How a message becomes chunks and packets (blue-rdma.md section 7). Packets end where the remote address is a multiple of
 * the path MTU, chunks too; lengths in bytes.
 */
/** A part of a message: bytes [offset, offset + length), beginning at packet `packet` of the message. */
export interface MessagePart {
  readonly offset: number;
  readonly length: number;
  readonly packet: number;
  readonly first: boolean;
  readonly last: boolean;
}

/** Packets of a message to remote address `remoteLo` (its lower half); one without bytes is one packet. */
export function packetsOf(remoteLo: number, length: number, mtu: number): number {
  if (length === 0) return 1;
  const inPacket = remoteLo & (mtu - 1);
  return Math.floor((inPacket + length - 1) / mtu) + 1;
}

/** Chunks of a message, in order. @param chunk bytes of one at most, a power of two; a packet is never cut */
export function chunksOf(remoteLo: number, length: number, mtu: number, chunk: number): MessagePart[] {
  const parts: MessagePart[] = [];
  const skip = remoteLo & (mtu - 1);
  const most = Math.max(chunk, mtu);
  let offset = 0;
  let packet = 0;
  do {
    const end = Math.min(length, Math.floor((skip + offset + most) / mtu) * mtu - skip);
    parts.push({ offset, length: end - offset, packet, first: offset === 0, last: end === length });
    packet += packetsOf(remoteLo + offset, end - offset, mtu);
    offset = end;
  } while (offset < length);
  return parts;
}

/** Packets [packet, packet + count) of a message, in parts that are no longer than a chunk. */
export function partsOf(
  { remoteLo, length }: { readonly remoteLo: number; readonly length: number },
  mtu: number,
  packet: number,
  count: number,
  chunk: number,
): MessagePart[] {
  const parts: MessagePart[] = [];
  const perChunk = Math.max(1, chunk / mtu);
  for (let at = packet; at < packet + count; at += perChunk) {
    const offset = startOf(remoteLo, mtu, at);
    const end = Math.min(length, startOf(remoteLo, mtu, Math.min(at + perChunk, packet + count)));
    parts.push({ offset, length: end - offset, packet: at, first: at === 0, last: end === length });
  }
  return parts;
}

/** First byte of a packet of a message. */
function startOf(remoteLo: number, mtu: number, packet: number): number {
  return packet === 0 ? 0 : packet * mtu - (remoteLo & (mtu - 1));
}
