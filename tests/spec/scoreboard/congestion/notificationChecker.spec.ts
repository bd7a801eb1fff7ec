/** What the notification point owes and may say (roce-transport.md 8), by what has arrived. */

import { expect } from 'chai';
import { DecodedPacket } from '../../../../agents/wire/decodedPacket.ts';
import type { WireMonitor } from '../../../../agents/wire/wireMonitor.ts';
import { OPCODE } from '../../../../agents/wire/wireOpcodes.ts';
import { Profiles } from '../../../../scoreboard/model/profiles.ts';
import { HANGU_PROFILE } from '../../../../dut-model/hangu/driver/kind/profile.ts';
import { NotificationChecker } from '../../../../scoreboard/reference/congestion/notificationChecker.ts';
import { MODEL_CHOICES, type TransportChoices } from '../../../../scoreboard/model/transportChoices.ts';
import type { HeardFrames } from '../../../../scoreboard/reference/heardFrames.ts';
import { BTH_OP } from '../../../../rdma/bth.ts';
import { US } from '../../../../uvm/kernel/time.ts';
import type { TransportRule } from '../../../../agents/wire/transportRules.ts';

const EXPERIENCED = 3;
const SENDER = 0x10;

/** Host 0 QP 0x10 sends to host 1, whose NIC must tell it of marks every 50 us at most. */
class Bench {
  readonly ids: string[] = [];
  now = 0;
  readonly #checker: NotificationChecker;

  constructor(notifies = true, choices: Partial<TransportChoices> = {}) {
    const broken = ({ id }: TransportRule): number => this.ids.push(id);
    const profiles = new Profiles({ ...HANGU_PROFILE, choices: { ...MODEL_CHOICES, ...choices } });
    const wire = {
      broken,
      brokenAtRest: broken,
      sourceQp: ({ sourceQp }: DecodedPacket) => sourceQp || SENDER,
    } as unknown as WireMonitor;
    this.#checker = new NotificationChecker(
      wire,
      profiles,
      () => ({ notifies, interval: 50 * US }),
      () => true,
    );
  }

  /** The NIC of host 1 rests from now on. */
  rests(): this {
    const { now } = this;
    this.#checker.ports = { hasRested: (_host: number, since: number) => since < now } as unknown as HeardFrames;
    return this;
  }

  at(us: number): this {
    this.now = us * US;
    return this;
  }

  arrives(psn: number, trafficClass = EXPERIENCED): this {
    const fields = { opcode: 4, flags: OPCODE.request, host: 0, to: 1, psn, trafficClass };
    this.#checker.arrived(Object.assign(new DecodedPacket(), fields), this.now);
    return this;
  }

  /** A packet of another queue pair of host 0 arrives marked, and is answered. */
  otherArrives(sourceQp: number): this {
    const fields = { opcode: 4, flags: OPCODE.request, host: 0, to: 1, psn: 9, trafficClass: EXPERIENCED, sourceQp };
    this.#checker.arrived(Object.assign(new DecodedPacket(), fields), this.now);
    return this.#sends({ opcode: 0x11, flags: OPCODE.response, syndrome: 0x1f, psn: 9, destQp: sourceQp });
  }

  /** A packet that nobody answers arrives marked: a READ response, or one of UC. */
  unansweredArrives(psn: number, opcode: number, flags: number): this {
    const fields = { opcode, flags, host: 0, to: 1, psn, trafficClass: EXPERIENCED, destQp: 0x20 };
    this.#checker.arrived(Object.assign(new DecodedPacket(), fields), this.now);
    return this;
  }

  /** The queue pair of host 1 that takes them fails. */
  fails(): this {
    this.#checker.stops(1, 0x20);
    return this;
  }

  acknowledges(psn: number): this {
    return this.#sends({ opcode: 0x11, flags: OPCODE.response, syndrome: 0x1f, psn });
  }

  notifies(destQp = SENDER): this {
    return this.#sends({ opcode: 0x81, destQp });
  }

  finish(): string[] {
    this.#checker.finish();
    return this.ids;
  }

  #sends(fields: Partial<DecodedPacket>): this {
    const from = { host: 1, to: 0, destQp: SENDER, handedOver: this.now };
    this.#checker.sent(Object.assign(new DecodedPacket(), from, fields));
    return this;
  }
}

describe('NotificationChecker', () => {
  it('has a notification for a packet that arrived marked and was answered', () => {
    expect(new Bench().arrives(1).acknowledges(1).notifies().finish()).to.deep.equal([]);
    expect(new Bench().arrives(1).acknowledges(1).finish()).to.deep.equal(['WIRE_CNP_MISSING']);
    expect(new Bench().arrives(1).acknowledges(2).finish()).to.deep.equal(['WIRE_CNP_MISSING']);
  });

  it('asks none of a packet that nobody has answered, of one without a mark, and of a NIC that does not notify', () => {
    expect(new Bench().arrives(1).acknowledges(0).finish()).to.deep.equal([]);
    expect(new Bench().arrives(1, 2).acknowledges(1).finish()).to.deep.equal([]);
    expect(new Bench(false).arrives(1).acknowledges(1).finish()).to.deep.equal([]);
  });

  it('asks none of a copy of a packet that has come before: the answer may be about that one', () => {
    expect(new Bench().arrives(1, 2).arrives(1).acknowledges(1).finish()).to.deep.equal([]);
    expect(new Bench().arrives(2, 2).arrives(1).acknowledges(2).finish()).to.deep.equal([]);
    expect(new Bench().arrives(1, 2).arrives(2).acknowledges(2).finish()).to.deep.equal(['WIRE_CNP_MISSING']);
  });

  it('lets no notification follow within the interval, and has none wanted there', () => {
    const twice = new Bench().arrives(1).arrives(2).notifies().at(20).notifies();
    expect(twice.finish()).to.deep.equal(['WIRE_CNP_PACE']);
    const once = new Bench().arrives(1).notifies().at(20).arrives(2).acknowledges(2);
    expect(once.finish()).to.deep.equal([]);
    const late = new Bench().arrives(1).notifies().at(60).arrives(2).acknowledges(2);
    expect(late.finish()).to.deep.equal(['WIRE_CNP_MISSING']);
  });

  it('reports a notification without a mark, for another queue pair, and long after the mark', () => {
    expect(new Bench().notifies().finish()).to.deep.equal(['WIRE_CNP_UNMARKED']);
    expect(
      new Bench()
        .arrives(1)
        .notifies(SENDER + 1)
        .finish(),
    ).to.deep.equal(['WIRE_CNP_UNMARKED']);
    expect(new Bench().arrives(1).at(100).rests().notifies().finish()).to.deep.equal(['WIRE_CNP_UNMARKED']);
  });

  it('owes one for READ responses and whole messages of UC where the NIC declares that, unless their queue pair fails', () => {
    const uc = OPCODE.request;
    for (const [opcode, flags] of [
      [BTH_OP.readResponseOnly, OPCODE.response],
      [0x20, uc | OPCODE.start],
      [0x21, uc],
    ] as const) {
      const owing = (choices: Partial<TransportChoices> = {}): Bench => {
        const bench = new Bench(true, choices);
        if (opcode === 0x21)
          bench
            .unansweredArrives(6, 0x20, uc | OPCODE.start)
            .notifies()
            .at(60);
        return bench.unansweredArrives(7, opcode, flags);
      };
      expect(owing().finish()).to.deep.equal(['WIRE_CNP_MISSING']);
      expect(owing().notifies().finish()).to.deep.equal([]);
      expect(owing().fails().finish()).to.deep.equal([]);
      expect(owing({ cnpFor: 'answered requests' }).finish()).to.deep.equal([]);
    }
    // Something of the message is missing.
    expect(new Bench().unansweredArrives(7, 0x21, uc).finish()).to.deep.equal([]);
  });

  it('lets one stand for all queue pairs of a destination, or a port, where the NIC paces by that', () => {
    for (const cnpPacing of ['destination', 'port'] as const) {
      const bench = (): Bench => new Bench(true, { cnpPacing }).arrives(1).acknowledges(1).otherArrives(0x11);
      expect(bench().notifies().finish()).to.deep.equal([]);
      expect(bench().notifies().at(10).notifies(0x11).finish()).to.deep.equal(['WIRE_CNP_PACE']);
      expect(bench().finish()).to.deep.equal(['WIRE_CNP_MISSING', 'WIRE_CNP_MISSING']);
    }
    const byQueuePair = new Bench().arrives(1).acknowledges(1).otherArrives(0x11).notifies();
    expect(byQueuePair.finish()).to.deep.equal(['WIRE_CNP_MISSING']);
  });
});
