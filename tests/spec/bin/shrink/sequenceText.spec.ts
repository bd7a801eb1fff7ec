import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadRegistry } from '../../../../bin/registry.ts';
import { sequenceSource } from '../../../../bin/shrink/sequenceText.ts';
import { writeShrunkSequence } from '../../../../bin/shrink/shrunkSequence.ts';
import { CALL_FORMAT, type CallScenario, type CallStep } from '../../../../config/scenario/calls/callScenario.ts';

/** Queues of one host, and one queue pair. */
function bringUp(host: number, type: 'RC' | 'UD'): CallStep[] {
  const name = `host${host}`;
  return [
    { call: 'openDevice', on: name },
    { call: 'createCq', on: name, as: `${name}.cq0`, args: { process: 1, entries: 64 } },
    { call: 'allocPd', on: name, as: `${name}.pd0`, args: { process: 1 } },
    {
      call: 'createQp',
      on: `${name}.pd0`,
      as: `${name}.qp0`,
      args: { type, sendCq: `${name}.cq0`, recvCq: `${name}.cq0`, maxSendWr: 4, maxRecvWr: 4, maxSge: 2 },
    },
    { call: 'connectQp', on: `${name}.qp0`, args: { peer: `host${1 - host}.qp0`, mtu: 1024 } },
  ];
}

/** One SEND of 10 B, with regions of which one is used by nothing. */
function oneSend(type: 'RC' | 'UD' = 'RC', ...more: readonly CallStep[]): CallScenario {
  const region = (mr: string, area: string, length: number) => ({ mr, area, at: 0, length, access: [] });
  const left: CallStep[] = [
    ...bringUp(0, type),
    {
      call: 'regMr',
      on: 'host0.pd0',
      args: { regions: [region('host0.mr0', 'host0.qp0.source', 10), region('host0.mr9', 'host0.qp0.source', 9)] },
    },
    {
      call: 'postSend',
      on: 'host0.qp0',
      args: { requests: [{ id: 0, opcode: 'SEND', sges: [{ mr: 'host0.mr0', at: 0, length: 10 }] }] },
    },
    ...more,
  ];
  const right: CallStep[] = [
    ...bringUp(1, type),
    { call: 'regMr', on: 'host1.pd0', args: { regions: [region('host1.mr1', 'host1.qp0.receive', 64)] } },
    {
      call: 'postRecv',
      on: 'host1.qp0',
      args: { requests: [{ id: 0, sges: [{ mr: 'host1.mr1', at: 4, length: 10 }] }] },
    },
  ];
  const threads = [
    { name: 'host0', steps: left },
    { name: 'host1', steps: right },
  ];
  return {
    format: CALL_FORMAT,
    test: 'test_random',
    seed: 3,
    parameters: {},
    faults: [],
    hosts: 2,
    processes: 1,
    receivesMayRemain: false,
    laziness: {},
    stages: [{ threads }],
  };
}

describe('a shrunk scenario as a sequence', () => {
  it('has what the scenario does with its memory and nothing that the test does by itself', () => {
    const source = sequenceSource(oneSend(), ['Fails with [SCB_BYTE_LEN] byte count']);
    const body = source?.text
      .split('\n')
      .filter((line) => line.includes('yield*'))
      .map((line) => line.trim());
    expect(body).to.deep.equal([
      'const mr0 = yield* left.source(10);',
      'const mr1 = yield* right.sink(64);',
      'yield* right.receive(mr1.part(4, 10));',
      'yield* left.send(mr0);',
    ]);
    expect(source?.text.split('\n').length).to.be.lessThan(22);
    expect(source?.plusargs.join(' ')).to.equal(
      '+UVM_TESTNAME=test_sequence +UVM_TEST_SEQ=shrunk +RC_QP_NUM=1 +MTU=1024',
    );
  });

  it('is none where the scenario has more than a sequence says in a few lines', () => {
    expect(sequenceSource(oneSend('UD'), [])).to.equal(undefined);
    expect(sequenceSource(oneSend('RC', { call: 'queryQp', on: 'host0.qp0' }), [])).to.equal(undefined);
    expect(sequenceSource(oneSend('RC', { wait: '3us' }), [])).to.equal(undefined);
  });

  it('is written where it fails in the same way, and not where it passes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sequence-'));
    try {
      const registry = await loadRegistry();
      const failure = { scenario: oneSend(), id: 'WIRE_MSN', head: [] };
      const bad = await writeShrunkSequence({ ...failure, plusargs: ['+DUT_FAULT=msn_zero'] }, folder, registry);
      expect(bad[0]).to.equal(`as a sequence: ${join(folder, 'shrunk/shrunk.ts')}`);
      expect(bad[1]).to.match(/^play it: .*\+UVM_TEST_SEQ=shrunk .*\+TEST_PATH=.* --seed 3$/);
      expect(await writeShrunkSequence({ ...failure, plusargs: [] }, folder, registry)).to.deep.equal([]);
      expect(existsSync(join(folder, 'shrunk'))).to.equal(false);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
