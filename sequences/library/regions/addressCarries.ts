import { ACCESS, QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Bytes of a region on either side of the boundary, and of a message at most: several packets at any MTU. */
const HALF = 1 << 16;
const BYTES = 12_000;
const ACCESS_ALL = ACCESS.localWrite | ACCESS.remoteWrite | ACCESS.remoteRead;

/**
 * Messages, WRITEs and READs whose addresses pass a multiple of 4 GiB, so that the upper half of an address counts on:
 * within a packet, between two packets, and between entries of a list. A queue pair's source area ends where its receive
 * area begins, at such a multiple: each side has a region with its end and the beginning of the other. On UD, where headers
 * of datagrams lie at that beginning, only what is sent is there.
 */
export class AddressCarries extends UserSequence {
  static readonly typeName: string = 'address_carries';
  static readonly description: string = 'requests whose addresses pass a multiple of 4 GiB';
  override readonly needs = { entries: 2 } as const;

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'places');
    const source = yield* region(left);
    const sink = connection.type === QP_TYPE.ud ? yield* right.sink(2 * HALF) : yield* region(right);
    for (let i = 0; i < this.count; i++) yield* this.#pass(connection, source, sink, random);
  }

  *#pass(connection: Connection, source: RegisteredBuffer, sink: RegisteredBuffer, random: RandomStream): Proc<void> {
    const { type, left, right } = connection;
    const length = random.range(2, Math.min(BYTES, this.longest(connection)));
    const [data, room] = [across(source, length, random), across(sink, length, random)];
    const operation = type === QP_TYPE.ud ? 0 : random.range(0, type === QP_TYPE.rc ? 2 : 1);
    if (operation === 2) {
      yield* right.read(across(sink, length, random), across(source, length, random));
      this.expectSuccess(yield* right.sent(), 'READ');
      return;
    }
    const cut = random.range(1, length - 1);
    const list = random.chance(0.5) ? [data] : [data.part(0, cut), data.part(cut, length - cut)];
    yield* right.receive(operation === 1 ? [] : room);
    if (operation === 1) yield* left.write(list, room, { imm: cut });
    else yield* left.send(list);
    this.expectSuccess(yield* left.sent(), 'request');
    this.expectSuccess(yield* right.received(), 'receive');
  }
}

/** A region in whose middle the boundary lies. */
function* region({ api, qp }: QpSide): Proc<RegisteredBuffer> {
  const { hi } = api.dataAddress(qp, false);
  const mr = yield* api.regMr(qp.pd, { hi, lo: -HALF, length: 2 * HALF, access: ACCESS_ALL });
  return new RegisteredBuffer(mr.hi, mr.lo, mr.length, mr.key, mr);
}

/** `length` bytes of a region in whose middle the boundary lies, some on either side. */
function across(region: RegisteredBuffer, length: number, random: RandomStream): RegisteredBuffer {
  return region.part(HALF - random.range(1, length - 1), length);
}
