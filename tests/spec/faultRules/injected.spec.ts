/** Packets that no NIC has sent: what is written, what NICs make of it, and what the judge knows of it. */

import { expect } from 'chai';
import fc from 'fast-check';
import type { InjectedPacket } from '../../../agents/link/inject/injectedPacket.ts';
import { PacketForge } from '../../../agents/link/inject/packetForge.ts';
import { DecodedPacket, PACKET } from '../../../agents/wire/decodedPacket.ts';
import { WireDecoder } from '../../../agents/wire/wireDecoder.ts';
import { PROBLEM } from '../../../agents/wire/wireRules.ts';
import { loadRegistry, type Registry } from '../../../bin/registry.ts';
import { runOne } from '../../../bin/run/runOne.ts';
import { MAX_FRAME_BYTES } from '../../../dut-model/nic.ts';
import { usualAddress } from '../../../env/ports/netAddress.ts';
import { BTH_CLASS, BTH_OP } from '../../../rdma/bth.ts';
import { ByteStore } from '../../../uvm/bytes/byteStore.ts';

const bits = (n: number): fc.Arbitrary<number> => fc.nat(2 ** n - 1);

/** Packets with headers of every kind. */
const PACKETS: fc.Arbitrary<InjectedPacket> = fc.record({
  from: fc.constant(0),
  to: fc.constant(1),
  opcode: fc.constantFrom(
    BTH_OP.sendOnly,
    BTH_OP.sendOnlyImm,
    BTH_OP.writeOnlyImm,
    BTH_OP.acknowledge,
    BTH_CLASS.uc | BTH_OP.writeOnly,
    BTH_CLASS.ud | BTH_OP.sendOnlyImm,
  ),
  destQp: bits(24),
  psn: bits(24),
  partitionKey: bits(16),
  solicited: fc.boolean(),
  ackRequest: fc.boolean(),
  payload: fc.uint8Array({ maxLength: 300 }),
  qkey: bits(31),
  sourceQp: bits(24),
  va: fc.bigInt(0n, 2n ** 64n - 1n),
  rkey: bits(31),
  dmaLength: bits(31),
  syndrome: bits(5),
  msn: bits(24),
  immediate: bits(31),
  ipv6: fc.boolean(),
  trafficClass: bits(8),
});

describe('injected packets', () => {
  let registry: Registry;
  before(async () => {
    registry = await loadRegistry();
  });

  it('are on the wire what their fields say, with a right or a wrong CRC', () => {
    const bytes = ByteStore.create();
    const [forge, decoder] = [new PacketForge(bytes, usualAddress), new WireDecoder(bytes)];
    // Frames lie as those of NICs do: their headers behind the Ethernet header begin at a word.
    const at = bytes.alloc(MAX_FRAME_BYTES + 64, 64) + 2;
    fc.assert(
      fc.property(PACKETS, fc.boolean(), (fields, right) => {
        const isAnswer = fields.opcode === BTH_OP.acknowledge;
        const packet = { ...fields, icrc: right ? 'right' : 'wrong', ...(isAnswer ? { payload: 0 } : {}) } as const;
        const p = new DecodedPacket();
        decoder.decode(at, forge.write(packet, at), p);
        expect([p.kind, (p.problems & PROBLEM.icrc) === 0]).to.deep.equal([PACKET.roce, right]);
        const { opcode, destQp, psn, partitionKey, solicited, ackRequest, trafficClass } = packet;
        expect(p).to.include({ opcode, destQp, psn, partitionKey, solicited, ackRequest, trafficClass });
        expect(p.ipVersion).to.equal(packet.ipv6 ? 6 : 4);
        if (isAnswer) expect(p).to.include({ syndrome: packet.syndrome, msn: packet.msn });
        else expect(p.payloadLength).to.equal((fields.payload as Uint8Array).length);
      }),
    );
  });

  for (const sequence of ['dropped_packets', 'refused_packets', 'bad_responses', 'stale_packets'])
    for (const [seed, more] of [
      [1, ['+MTU=256']],
      [2, ['+IPV6', '+HOST_NUM=3']],
    ] as const)
      it(`do what ${sequence} says on a healthy NIC, seed ${seed}, and nothing else`, () => {
        const log: string[] = [];
        const queues = ['+RC_QP_NUM=2', '+UC_QP_NUM=1', '+UD_QP_NUM=1', '+SEQ_COUNT=7', '+ACK_TIMEOUT=5'];
        const plusargs = ['+UVM_TESTNAME=test_sequence', `+UVM_TEST_SEQ=${sequence}`, ...queues, ...more];
        const hooks = { sink: (text: string) => log.push(text) };
        const result = runOne({ testName: 'test_sequence', seed, plusargs }, registry, hooks);
        expect(result.verdict, log.join('\n')).to.equal('passed');
      });
});
