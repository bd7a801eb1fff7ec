/** Frames as they leave NICs: opcodes, lengths, packets of a message (roce-transport.md 1), and answers (3). */
import { RNR_TIMER_PS } from '../../../rdma/timers.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { SimTime } from '../../../uvm/kernel/scheduler.ts';
import { ATOMIC_BYTES, MTU_BYTES, QP_STATE, QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import type { Connection } from '../../user/connection.ts';
import { connectAgain, keptBy, resetBoth } from '../../user/reconnection.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import type { CaseBench } from '../caseBench.ts';
import { partsOf } from '../caseCodec.ts';
import { subject } from '../conformanceCase.ts';

/** A frame of RoCEv2 that a NIC has sent, without what a short one is filled up with. */
interface SentPacket {
  readonly host: number;
  readonly opcode: number;
  readonly psn: number;
  readonly pad: number;
  readonly syndrome: number;
  /** Of the whole frame, and of headers and payload behind the base transport header, with pad. */
  readonly frameBytes: number;
  readonly body: Uint8Array;
  /** First bit on the wire, ps. */
  readonly time: SimTime;
}

/** From now on packets that NICs send are added to the list. */
function packetsOf(t: CaseBench): SentPacket[] {
  const packets: SentPacket[] = [];
  t.watch({
    arrived: () => undefined,
    accessed: () => undefined,
    sent: (host, data, length, time) => {
      const frame = t.run.bytes.u8.slice(data, data + length);
      const { transport, end } = partsOf(frame);
      const [opcode = 0, flags = 0] = frame.subarray(transport);
      const psn =
        ((frame[transport + 9] as number) << 16) |
        ((frame[transport + 10] as number) << 8) |
        (frame[transport + 11] as number);
      const body = frame.subarray(transport + 12, end);
      packets.push({
        host,
        opcode,
        psn,
        pad: (flags >> 4) & 3,
        syndrome: body[0] ?? 0,
        frameBytes: length,
        body,
        time,
      });
    },
  });
  return packets;
}

/** Operations of a service, without its class: SENDs and WRITEs with and without immediate data, READs, atomics. */
const CONNECTED = [0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b];
const RELIABLE = [...CONNECTED, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x13, 0x14];
const UNRELIABLE_CLASS = 0x20;
const DATAGRAMS = [0x64, 0x65];
const IMM = 0x0102_0304;

/** SENDs and WRITEs of one, two and three packets, with immediate data and without. */
function* everyMessage(t: CaseBench, { type, left, right }: Connection): Proc<void> {
  const mtu = t.values.MTU;
  const lengths = type === QP_TYPE.ud ? [100] : [100, 2 * mtu, 3 * mtu];
  const data = yield* left.source(3 * mtu);
  const target = yield* right.sink(3 * mtu);
  for (const length of lengths)
    for (const options of [{}, { imm: IMM }]) {
      yield* right.receive(target.part(0, length));
      yield* left.send(data.part(0, length), options);
      yield* t.sent('success', left);
      yield* t.received('success', right);
      if (type === QP_TYPE.ud) continue;
      if ('imm' in options) yield* right.receive([]);
      yield* left.write(data.part(0, length), target.part(0, length), options);
      yield* t.sent('success', left);
      if ('imm' in options) yield* t.received('success', right);
    }
}

function* everyFetch(t: CaseBench): Proc<void> {
  const bytes = 3 * t.values.MTU;
  const [into, remote] = [yield* t.left.sink(bytes), yield* t.right.source(bytes)];
  const [result, word] = [yield* t.left.sink(ATOMIC_BYTES), yield* t.right.words(ATOMIC_BYTES)];
  for (const length of [100, bytes]) {
    yield* t.left.read(into.part(0, length), remote.part(0, length));
    yield* t.sent();
  }
  yield* t.left.fetchAdd(result, word, 1n);
  yield* t.sent();
  yield* t.left.compareSwap(result, word, 0n, 1n);
  yield* t.sent();
}

export const EVERY_OPCODE = subject(['uc', 'ud', 'atomics'], {
  *T_001(t) {
    const packets = packetsOf(t);
    for (const connection of t.connections) yield* everyMessage(t, connection);
    yield* everyFetch(t);
    yield* t.quiet();
    const seen = new Set(packets.map(({ opcode }) => opcode));
    for (const opcode of [...RELIABLE, ...CONNECTED.map((operation) => UNRELIABLE_CLASS | operation), ...DATAGRAMS])
      t.expect(seen.has(opcode), `no packet with opcode 0x${opcode.toString(16)} was sent`);
  },
});

const SEND_ONLY = 0x04;
const ETHERNET_AND_IP = 34;
const SHORTEST_FRAME = 60;

/** A message of a SEND that arrives. */
function* message(t: CaseBench, length: number): Proc<void> {
  const [data, into] = [yield* t.left.source(Math.max(1, length)), yield* t.right.sink(Math.max(1, length))];
  yield* t.right.receive(into.part(0, length));
  yield* t.left.send(data.part(0, length));
  yield* t.sent();
  yield* t.received();
}

type Operation = 'send' | 'write';

/** Lengths around whole packets, at each path MTU; `judge` is told of the packets of each message. */
function* lengthsAtEveryMtu(
  t: CaseBench,
  judge: (what: string, payloads: readonly number[], length: number, mtu: number) => void,
): Proc<void> {
  const packets = packetsOf(t);
  const random = t.streamOf(t.connectionAt(0), 'psns');
  const [data, target] = [yield* t.left.source(3 * 4096), yield* t.right.sink(3 * 4096)];
  for (const mtu of MTU_BYTES.slice(1)) {
    const kept = { ...keptBy(t.left.qp), mtu };
    yield* resetBoth(t.left, t.right);
    yield* connectAgain(t.left, t.right, random, kept);
    for (const length of [0, 1, mtu - 1, mtu, mtu + 1, 2 * mtu, 2 * mtu + 1])
      for (const operation of ['send', 'write'] as const) {
        packets.length = 0;
        yield* request(t, operation, data.part(0, length), target.part(0, length));
        const own = packets.filter(({ host, opcode }) => host === t.left.host && opcode < 0x0c);
        const payloads = own.map(({ opcode, body, pad }) => body.length - pad - (RETH.includes(opcode) ? 16 : 0));
        judge(`${operation} of ${length} B at a path MTU of ${mtu}`, payloads, length, mtu);
      }
  }
}

/** WRITEs that begin. */
const RETH = [0x06, 0x0a];

function* request(t: CaseBench, operation: Operation, data: RegisteredBuffer, target: RegisteredBuffer): Proc<void> {
  if (operation === 'send') {
    yield* t.right.receive(target);
    yield* t.left.send(data);
  } else yield* t.left.write(data, target);
  yield* t.sent();
  if (operation === 'send') yield* t.received();
}

export const LENGTHS = subject(['naks'], {
  *T_005(t) {
    const packets = packetsOf(t);
    for (let length = 0; length < 10; length++) yield* message(t, length);
    yield* t.quiet();
    const own = packets.filter(({ host, opcode }) => host === t.left.host && opcode === SEND_ONLY);
    t.expectEqual('SENDs of one packet', own.length, 10);
    for (const [length, { pad, body }] of own.entries()) {
      t.expectEqual(`pad count of ${length} B`, pad, (4 - (length % 4)) % 4);
      t.expectEqual(`bytes of ${length} B with pad`, body.length, length + pad);
      t.expect(
        body.subarray(length).every((byte) => byte === 0),
        `the pad behind ${length} B is not zero`,
      );
    }
  },
  *T_006(t) {
    yield* lengthsAtEveryMtu(t, (what, payloads, length, mtu) =>
      t.expectEqual(`packets of a ${what}`, payloads.length, Math.max(1, Math.ceil(length / mtu))),
    );
  },
  *T_007(t) {
    yield* lengthsAtEveryMtu(t, (what, payloads, length, mtu) => {
      const last = payloads.at(-1) ?? -1;
      const whole = payloads.slice(0, -1).every((bytes) => bytes === mtu);
      t.expect(whole, `a packet of a ${what} that is not the last has not the path MTU`);
      t.expect(last <= mtu && (last > 0 || length === 0), `the last packet of a ${what} has ${last} B`);
    });
  },
  *T_008(t) {
    const packets = packetsOf(t);
    yield* message(t, 0);
    const sent = packets.find(({ host, opcode }) => host === t.left.host && opcode === SEND_ONLY);
    t.expectEqual('bytes of the frame', sent?.frameBytes, SHORTEST_FRAME);
    t.expectEqual(
      'bytes without what it is filled up with',
      ETHERNET_AND_IP + 8 + 12 + 4 + (sent?.body.length ?? -1),
      58,
    );
  },
});

const ACKNOWLEDGE = 0x11;
const RNR = 0x20;
const CODES = 32;

export const ANSWERS = subject(['naks'], {
  *T_031(t) {
    const packets = packetsOf(t);
    const [data, into] = [yield* t.left.source(64), yield* t.right.sink(64)];
    for (let code = 0; code < CODES; code++) {
      yield* t.right.api.modifyQp(t.right.qp, { state: QP_STATE.rts, minRnrTimer: code });
      packets.length = 0;
      yield* t.left.send(data);
      while (!packets.some(({ host, opcode }) => host === t.right.host && opcode === ACKNOWLEDGE)) yield* t.pause(1);
      yield* t.right.receive(into);
      yield* t.sent();
      yield* t.received();
      const nak = packets.find(({ host, opcode }) => host === t.right.host && opcode === ACKNOWLEDGE) as SentPacket;
      const again = packets.filter(({ host, opcode }) => host === t.left.host && opcode === SEND_ONLY)[1];
      t.expectEqual('syndrome', nak.syndrome, RNR | code);
      const waited = (again?.time ?? 0) - nak.time;
      t.expect(
        waited >= (RNR_TIMER_PS[code] as number),
        `with code ${code} the SEND comes again ${waited} ps after the NAK`,
      );
    }
  },
  *T_036(t) {
    const [data, into] = [yield* t.left.source(64), yield* t.right.sink(64)];
    for (let credits = 0; credits < CODES; credits++) {
      const rule = t.link.fault(`corrupt host=${t.right.host} opcode=ack field=syndrome set=${credits} repaired`);
      yield* t.right.receive(into);
      yield* t.left.send(data);
      const { status } = yield* t.sent();
      t.expectEqual(`status with ${credits} as credits`, status, WC_STATUS.success);
      if (status !== WC_STATUS.success) return;
      yield* t.received();
      rule.stop();
    }
  },
  *T_039(t) {
    const BYTES = 200;
    const [into, remote] = [yield* t.left.sink(BYTES), yield* t.right.source(BYTES)];
    t.link.fault(`drop host=${t.right.host} opcode=read_response nth=1`);
    yield* t.left.read(into, remote);
    yield* t.pause(20);
    const current = Uint8Array.from({ length: BYTES }, (_, i) => 255 - i);
    t.right.fill(remote, current);
    yield* t.sent();
    t.expect(Buffer.compare(t.left.contents(into), current) === 0, 'the READ has brought what memory held before');
  },
});
