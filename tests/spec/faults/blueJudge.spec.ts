import { expect } from 'chai';
import { BLUE_FAULTS } from '../../../dut-model/blue-rdma/bugs/blueFaults.ts';
import { BlueNic } from '../../../dut-model/blue-rdma/model/blueNic.ts';
import { resolveBlueConfig } from '../../../dut-model/blue-rdma/model/blueConfig.ts';
import { DRIVER_FAULTS } from '../../../dut-model/blue-rdma/bugs/driver/driverFaults.ts';
import { blueProvider } from '../../../dut-model/blue-rdma/driver/kind/blueKind.ts';
import { withoutDriverKnobs } from '../../../dut-model/blue-rdma/driver/kind/driverKnobs.ts';
import { NIC_CATALOG } from '../../../dut-model/nicCatalog.ts';
import { loadRegistry } from '../../../bin/registry.ts';
import { type Played, playOn } from '../tests/harness.ts';

/** What each planted bug must be reported under, at least, and a run in which it shows. */
const WORK = '+RC_QP_NUM=4 +SEND_WQE_NUM=2 +RECV_WQE_NUM=2 +WRITE_WQE_NUM=2 +READ_WQE_NUM=2 +ACK_TIMEOUT=7';
const LONG = `${WORK} +DATA_CNT=131072 +DATA_OFFSET=2096003`;
const LOSSY = `${WORK} +DATA_CNT=600000 +DATA_OFFSET=2096003 +LOSS_PCT=3`;
const FEW =
  '+RC_QP_NUM=2 +SEND_WQE_NUM=3 +RECV_WQE_NUM=3 +WRITE_WQE_NUM=3 +READ_WQE_NUM=2 +DATA_OFFSET=2096003 +ACK_TIMEOUT=7 +STALL_TIME=30ms';
const SHORT = `${FEW} +DATA_CNT=777`;
const CAUGHT: readonly (readonly [bug: string, id: string, line: string])[] = [
  ['payload_unpadded', 'BLUE_FRAME', LONG],
  ['msn_counts_chunks', 'BLUE_MSN', LONG],
  ['psn_repeated', 'BLUE_PSN', LONG],
  ['psn_repeated', 'BLUE_RESENT', LONG],
  ['psn_repeated', 'BLUE_RETRY', LONG],
  ['reth_total_of_chunk', 'BLUE_OPCODE', LONG],
  ['report_of_other_qp', 'BLUE_REPORT', LONG],
  ['valid_missing', 'BLUE_RING_VALID', LONG],
  ['reads_cross_blocks', 'BLUE_RING_BLOCK', LONG],
  ['bitmap_words_reversed', 'BLUE_WINDOW', LOSSY],
  ['loss_sequence_stuck', 'BLUE_NAK', LOSSY],
  [
    'report_guard_lost',
    'BLUE_RING_OVERWRITE',
    `${SHORT} +DATA_CNT=40 +NIC_RING_DEPTH=16 +NIC_REACTION_NS=50000 +DB_NUM=4`,
  ],
  ['slot_read_again', 'BLUE_RING_ORDER', `${SHORT} +DB_NUM=6`],
  ['whole_blocks_read', 'BLUE_RING_UNPUBLISHED', SHORT],
  ['reserved_bits_set', 'BLUE_RING_RESERVED', `${SHORT} +DB_NUM=3`],
  ['old_chunk_again', 'BLUE_UNASKED', LONG],
  ['ack_checksum_wrong', 'BLUE_CHECKSUM', SHORT],
  ['ack_ahead', 'BLUE_ACK', SHORT],
  ['ring_unaligned', 'BLUE_RING_BASE', SHORT],
  ['head_too_far', 'BLUE_RING_HEAD', `${SHORT} +DB_NUM=6`],
  ['tail_too_far', 'BLUE_RING_TAIL', `${SHORT} +DB_NUM=6`],
  ['every_chunk_first', 'BLUE_OPCODE', `${FEW} +DATA_CNT=131072`],
  ['chunk_psn_of_short_first', 'BLUE_PACKET', `${FEW} +DATA_CNT=131072`],
];

/** Runs of the first lines have one seed, those of `FEW` another. */
const seedOf = (line: string): number => (line.startsWith('+RC_QP_NUM=2') ? 1 : 12);

async function play(bug: string, line: string): Promise<Played> {
  const registry = await loadRegistry();
  const planted = BLUE_FAULTS.find(({ name }) => name === bug);
  const inDriver = DRIVER_FAULTS.find(({ name }) => name === bug);
  const nics = NIC_CATALOG.map((entry) =>
    entry.name !== 'blue'
      ? entry
      : {
          ...entry,
          provider: () => blueProvider(inDriver?.parts),
          nic:
            () =>
            (context: ConstructorParameters<typeof BlueNic>[0], knobs: Parameters<typeof withoutDriverKnobs>[0]) =>
              new BlueNic(context, resolveBlueConfig(withoutDriverKnobs(knobs)), planted?.blocks),
        },
  );
  return playOn(
    { ...registry, nics },
    'test_direct_param',
    `+DUT=blue +UC_QP_NUM=0 +UD_QP_NUM=0 +SG_NUM=1 ${line}`,
    seedOf(line),
  );
}

describe('the judge of wire and rings of blue-rdma', () => {
  for (const line of [LONG, LOSSY]) {
    it(`finds nothing wrong with a NIC and a driver that are right: ${line}`, async () => {
      const run = await play('', line);
      expect([run.verdict, run.counts['UVM_ERROR']], run.log).to.deep.equal(['passed', 0]);
    });
  }

  for (const [bug, id, line] of CAUGHT) {
    it(`reports ${bug} as ${id}`, async () => {
      const run = await play(bug, line);
      expect(run.log).to.contain(`[${id}]`);
    });
  }

  it('finds a late duplicate in a buffer that is in use again, where the driver sets no floor', async () => {
    const late = await play(
      '',
      `${WORK} +DB_NUM=3 +DATA_CNT=7777 +DATA_OFFSET=2096003 +LOSS_PCT=3 +NIC_DRIVER_FLOOR=0`,
    );
    expect(late.verdict).to.equal('failed');
    expect(late.log).to.match(/\[(SCB_STRAY_WRITE|SCB_DATA|SCB_REVERIFY)\]/);
  });
});
