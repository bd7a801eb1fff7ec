import { expect } from 'chai';
import { cardAddressOf, cardBytes, type CardGeometry } from '../../../../agents/ddr/cardGeometry.ts';
import { cardLayout } from '../../../../dut-model/card-memory/layout/geometry.ts';
import { BankMap } from '../../../../dut-model/card-memory/model/bankMap.ts';

describe('card addresses and banks', () => {
  for (const interleave of [0, 256, 1024, 4096])
    it(`are a bijection, which chips and controllers see alike: ${interleave === 0 ? 'one bank behind the other' : `units of ${interleave} bytes`}`, () => {
      const geometry: CardGeometry = { banks: 4, bankBytes: 8192, interleave };
      const seen = new Set<number>();
      for (let bank = 0; bank < 4; bank++)
        for (let offset = 0; offset < 8192; offset++) seen.add(cardAddressOf(geometry, bank, offset));
      expect(seen.size).to.equal(cardBytes(geometry));
      expect(Math.max(...seen)).to.equal(cardBytes(geometry) - 1);

      const layout = { ...cardLayout(16, interleave), ...geometry };
      const map = new BankMap(layout);
      for (let card = 0; card < cardBytes(geometry); card += 37) {
        map.locate(card);
        expect(cardAddressOf(geometry, map.bank, map.offset)).to.equal(card);
        const last = card + Math.min(map.together(card), cardBytes(geometry) - card) - 1;
        const { bank } = map;
        map.locate(last);
        expect(map.bank, `byte ${last} lies with byte ${card}`).to.equal(bank);
      }
    });

  it('of the full card reach its last byte, in the last bank', () => {
    const layout = cardLayout(28, 0);
    const map = new BankMap(layout);
    map.locate(16 * 2 ** 30 - 1);
    expect([layout.bytes, map.bank, map.offset]).to.deep.equal([2 ** 34, 3, 2 ** 32 - 1]);
  });
});
