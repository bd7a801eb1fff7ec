import { expect } from 'chai';
import { ByteStore } from '../../../../../uvm/bytes/byteStore.ts';
import * as images from '../../../../../dut-model/hangu/driver/commands/contextImages.ts';
import { hex } from '../../support/fakeHcr.ts';

/** Golden bytes: `(n x hh)` is a run. */
function golden(text: string): string {
  return text
    .replace(/\((\d+) x (\w\w)\)/g, (_, n, b) => Array(Number(n)).fill(b).join(' '))
    .replace(/\s+/g, ' ')
    .trim();
}

describe('HanGu mailbox images', () => {
  const bytes = ByteStore.create();
  const at = bytes.alloc(4096, 16);
  const image = (write: (at: number) => number): string => {
    bytes.u8.fill(0xff, at, at + 4096);
    const size = write(at);
    return hex(bytes.u8.subarray(at, at + size));
  };

  it('match the golden INIT_HCA', () => {
    expect(image((a) => images.putInitHca(bytes, a, [0, 0, 0, 0]))).to.equal(
      golden(`00 00 00 00 00 00 00 00 00 00 10 00 00 00 00 10 00 00 20 00 00 00 00 10 00 00 40 00 00 00 00 05
              (16 x 00) 00 00 30 00 00 00 00 11 00 00 00 00 00 00 00 00`),
    );
  });

  it('carry the port GID in INIT_HCA', () => {
    const text = image((a) => images.putInitHca(bytes, a, [0xfd00_0000, 0, 0, 2]));
    expect(text.slice(32 * 3, 48 * 3 - 1)).to.equal(golden('fd 00 00 00 (11 x 00) 02'));
  });

  it('match the golden MAP_ICM of one QPC page and of 250 MTT pages', () => {
    expect(image((a) => images.putMapIcm(bytes, a, 'qpc', 0, 1))).to.equal(
      golden('(16 x 00) 00 00 10 00 00 00 00 00 00 00 20 00 00 00 00 01'),
    );
    expect(image((a) => images.putMapIcm(bytes, a, 'mtt', 0, 250))).to.equal(
      golden('(16 x 00) 00 00 00 00 00 00 00 00 00 00 10 00 00 00 00 fa'),
    );
  });

  it('match the golden WRITE_MTT of five pages', () => {
    const text = image((a) => {
      const size = images.putMttHeader(bytes, a, 5, 5);
      for (let i = 0; i < 5; i++) images.putMttEntry(bytes, a, i, 0x0001_801c, i * 4096);
      return size;
    });
    expect(text).to.equal(
      golden(`(24 x 00) 00 00 00 00 00 00 00 05
        00 01 80 1c 00 00 30 00 00 01 80 1c 00 00 20 00 00 01 80 1c 00 00 10 00 00 01 80 1c 00 00 00 00
        (24 x 00) 00 01 80 1c 00 00 40 00`),
    );
  });

  it('match the golden SW2HW_MPT but for the flags, which are as the hardware reads them', () => {
    const mpt = {
      key: 6,
      index: 6,
      pd: 0xdead_beef,
      startHi: 0x801c,
      startLo: 0,
      length: 4096,
      permissions: 0x87,
      mtt: 6,
    };
    expect(image((a) => images.putMpt(bytes, a, mpt))).to.equal(
      golden(`f0 02 01 87 00 00 00 00 00 00 00 06 de ad be ef 00 00 80 1c 00 00 00 00 00 00 00 00 00 00 10 00
        (12 x 00) 00 00 00 00 00 00 00 06 (12 x 00)`),
    );
  });

  it('write lengths above 4 GiB into both halves', () => {
    const mpt = { key: 1, index: 1, pd: 0, startHi: 0, startLo: 0, length: 2 ** 32 + 5, permissions: 0, mtt: 0 };
    expect(image((a) => images.putMpt(bytes, a, mpt)).slice(24 * 3, 32 * 3 - 1)).to.equal('00 00 00 01 00 00 00 05');
  });

  it('match the golden SW2HW_CQ', () => {
    const cqc = {
      cqn: 254,
      startHi: 2,
      startLo: 0x0fe0_0000,
      logSize: 6,
      usrPage: 0,
      eqn: 0,
      pd: 0xdead_beef,
      lkey: 0,
    };
    expect(image((a) => images.putCqc(bytes, a, cqc))).to.equal(
      golden(`00 04 00 00 00 00 00 02 0f e0 00 00 06 00 00 00 00 00 00 00 de ad be ef 00 00 00 00 00 00 00 00
        (12 x 00) 00 00 00 fe (16 x 00)`),
    );
  });

  it('place size, vector and key of an event queue', () => {
    const eqc = { startHi: 0, startLo: 0x2000_0000, logSize: 11, msixVector: 1, pd: 0, lkey: 7 };
    expect(image((a) => images.putEqc(bytes, a, eqc))).to.equal(
      golden('00 04 00 00 00 00 00 00 20 00 00 00 0b (10 x 00) 01 00 00 00 00 00 00 00 07 (32 x 00)'),
    );
  });
});
