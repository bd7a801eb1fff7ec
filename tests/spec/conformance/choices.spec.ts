/** Where implementations differ, a NIC that declares the other choice passes with it, and one that declares what it does not do fails. */

import { expect } from 'chai';
import { loadRegistry, type Registry } from '../../../bin/registry.ts';
import { HANGU_KIND } from '../../../dut-model/hangu/driver/kind/hanguKind.ts';
import { resolveHanguConfig } from '../../../dut-model/hangu/model/hanguConfig.ts';
import type { HanguBlocks } from '../../../dut-model/hangu/model/hanguBlocks.ts';
import { HanguNic } from '../../../dut-model/hangu/model/hanguNic.ts';
import { CompletionUnit } from '../../../dut-model/hangu/model/queues/completionUnit.ts';
import { Responder } from '../../../dut-model/hangu/model/transport/responder.ts';
import { CQE_SYNDROME } from '../../../dut-model/hangu/layout/queues.ts';
import { SendCompletion } from '../../../dut-model/hangu/model/transport/sendCompletion.ts';
import type { QpSlot, SendRequest } from '../../../dut-model/hangu/model/transport/qpSlot.ts';
import type { RxPacket } from '../../../dut-model/roce/rxPacket.ts';
import type { NicEntry } from '../../../env/nicKind.ts';
import { WC_STATUS } from '../../../rdma/verbs.ts';
import type { TransportChoices } from '../../../scoreboard/model/transportChoices.ts';
import { NO_KEY } from '../../../sequences/user/memory/registeredBuffer.ts';
import { playOn } from '../tests/harness.ts';

type Entry = Parameters<CompletionUnit['post']>[0];

/** Gives completions of one queue another syndrome in place of the model's. */
function otherSyndrome(isSend: boolean, from: number, to: number): typeof CompletionUnit {
  return class extends CompletionUnit {
    override post(e: Entry): void {
      if (e.isSend === isSend && e.syndrome === from) e.syndrome = to;
      super.post(e);
    }
  };
}

/** Looks at the key of an atomic before its address; the key that no region has stands for all bad ones. */
class KeyFirst extends Responder {
  protected override isAligned(p: RxPacket): boolean {
    return p.rkey === NO_KEY || super.isAligned(p);
  }
}

/** Asks for what is missing behind an RNR NAK as well. */
class AsksAfterRnr extends Responder {
  readonly #refused = new Set<QpSlot>();
  protected override admit(slot: QpSlot, ...rest: [c: number, p: RxPacket, service: number]): number {
    const before = this.core.counters.rnrNaks;
    const outcome = super.admit(slot, ...rest);
    if (this.core.counters.rnrNaks !== before) this.#refused.add(slot);
    return outcome;
  }
  protected override outOfOrder(slot: QpSlot, c: number, expected: number): void {
    if (this.#refused.delete(slot)) slot.nakSent = false;
    super.outOfOrder(slot, c, expected);
  }
}

/** Succeeds with a datagram that is too long, and sends nothing. */
class SwallowsDatagrams extends SendCompletion {
  override localError(slot: QpSlot, c: number, r: SendRequest): void {
    if (r.udSegment <= 0 || r.syndrome !== CQE_SYNDROME.localLength) super.localError(slot, c, r);
    else if (slot.head === r) {
      this.completeHead(slot, 0);
      this.requester.schedule(slot);
    }
  }
}

interface OtherChoice {
  readonly choices: Partial<TransportChoices>;
  readonly blocks: Partial<HanguBlocks>;
  /** Runs that depend on it, by the behaviour that they show. */
  readonly runs: Readonly<Record<string, readonly [test: string, line: string]>>;
  /** Of a NIC that does so and declares the model's choice; undefined where either is right for all. */
  readonly blamed: string | undefined;
  /** What it declares it need not do each time: nobody is blamed for less. */
  readonly mayDoLess?: boolean;
}

const RC = '+RC_QP_NUM=1 +UC_QP_NUM=0 +UD_QP_NUM=0';
const CASE = 'test_conformance';
const SEQUENCE = 'test_sequence';
const { success, remInvReqErr, locQpOpErr, generalErr } = WC_STATUS;
const { localLength, localProtection, localQpOperation, badResponse, remoteInvalidRequest } = CQE_SYNDROME;
/** Of no status of its own. */
const VENDOR = 0x7f;

const OTHERS: Readonly<Record<string, OtherChoice>> = {
  tooLongReceive: {
    choices: { tooLongReceive: remInvReqErr },
    blocks: { completions: otherSyndrome(false, localLength, remoteInvalidRequest) },
    runs: { 'T-055': [CASE, `+CASE=T-055 ${RC}`] },
    blamed: 'SCB_STATUS',
  },
  badReceiveEntry: {
    choices: { badReceiveEntry: locQpOpErr },
    blocks: { completions: otherSyndrome(false, localProtection, localQpOperation) },
    runs: {
      'T-056': [SEQUENCE, '+UVM_TEST_SEQ=wrong_keys +RC_QP_NUM=29 +UC_QP_NUM=0 +UD_QP_NUM=0'],
      G260: [CASE, `+CASE=G260 ${RC}`],
    },
    blamed: 'SCB_STATUS',
  },
  tooLongDatagram: {
    choices: { tooLongDatagram: success },
    blocks: { sendCompletion: SwallowsDatagrams },
    runs: {
      'T-093': [CASE, '+CASE=T-093 +RC_QP_NUM=0 +UC_QP_NUM=0 +UD_QP_NUM=1'],
      G364: [CASE, '+CASE=G364 +RC_QP_NUM=0 +UC_QP_NUM=0 +UD_QP_NUM=1'],
      'send errors': [SEQUENCE, '+UVM_TEST_SEQ=send_errors +SEQ_COUNT=4 +RC_QP_NUM=0 +UC_QP_NUM=1 +UD_QP_NUM=1'],
    },
    blamed: 'SCB_STATUS',
  },
  unexpectedResponse: {
    choices: { unexpectedResponse: generalErr },
    blocks: { completions: otherSyndrome(true, badResponse, VENDOR) },
    runs: {
      'T-034': [
        SEQUENCE,
        '+UVM_TEST_SEQ=bad_responses +SEQ_COUNT=5 +ACK_TIMEOUT=5 +RC_QP_NUM=4 +UC_QP_NUM=2 +UD_QP_NUM=2',
      ],
    },
    blamed: 'SEQ_STATUS',
  },
  alignmentBeforeKey: {
    choices: { alignmentBeforeKey: false },
    blocks: { responder: KeyFirst },
    runs: {
      'T-046': [SEQUENCE, '+UVM_TEST_SEQ=refused_atomics +RC_QP_NUM=12 +SEQ_COUNT=1 +UC_QP_NUM=0 +UD_QP_NUM=0'],
      G302: [CASE, `+CASE=G302 ${RC}`],
    },
    blamed: 'SCB_STATUS',
  },
  sequenceNakAfterRnr: {
    choices: { sequenceNakAfterRnr: true },
    blocks: { responder: AsksAfterRnr },
    runs: {
      'T-032': [
        SEQUENCE,
        '+UVM_TEST_SEQ=late_receives +RC_QP_NUM=4 +MTU=256 +LINK_LATENCY_NS=10000 +UC_QP_NUM=0 +UD_QP_NUM=0',
      ],
    },
    blamed: 'WIRE_NAK',
    mayDoLess: true,
  },
};

describe('a NIC that declares another choice', function () {
  this.timeout(60_000);
  let shipped: Registry;
  before(async () => {
    shipped = await loadRegistry();
  });

  function registryWith({ blocks, choices }: OtherChoice, declares: boolean): Registry {
    const { profile } = HANGU_KIND;
    const entry: NicEntry = {
      ...HANGU_KIND,
      name: 'other',
      description: 'HanGu with another choice',
      base: 'hangu',
      faults: [],
      knobs: [],
      profile: declares ? { ...profile, choices: { ...profile.choices, ...choices } } : profile,
      nic: () => (context, knobs) => new HanguNic(context, resolveHanguConfig(knobs), blocks),
    };
    return { ...shipped, nics: [...shipped.nics, entry] };
  }

  for (const [field, other] of Object.entries(OTHERS)) {
    const [first] = Object.values(other.runs);
    it(`passes what depends on ${field}: ${Object.keys(other.runs).join(', ')}`, () => {
      for (const [test, line] of Object.values(other.runs)) {
        const run = playOn(registryWith(other, true), test, `+DUT=other ${line}`);
        expect(run.verdict, run.log).to.equal('passed');
      }
    });
    if (other.blamed === undefined || first === undefined) continue;
    it(`is blamed where it does so and has not declared it: ${field}`, () => {
      const [test, line] = first;
      const run = playOn(registryWith(other, false), test, `+DUT=other ${line}`);
      expect(run.log).to.contain(`[${other.blamed}]`);
    });
    if (other.mayDoLess === true) continue;
    it(`is blamed where it declares it and does what the model does: ${field}`, () => {
      const [test, line] = first;
      const run = playOn(registryWith({ ...other, blocks: {} }, true), test, `+DUT=other ${line}`);
      expect(run.log).to.contain(`[${other.blamed}]`);
    });
  }
});
