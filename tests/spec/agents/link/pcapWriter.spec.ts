import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { FrameItem } from '../../../../agents/link/linkItems.ts';
import { PcapWriter } from '../../../../agents/link/pcapWriter.ts';
import { ByteStore } from '../../../../uvm/bytes/byteStore.ts';

describe('PcapWriter', () => {
  let folder = '';
  let path = '';
  const bytes = ByteStore.create();
  const data = bytes.alloc(8192);
  const item = (host: number, length: number, time: number) =>
    Object.assign(new FrameItem(), { host, data, length, time });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pcap-'));
    path = join(folder, 'wire.pcapng');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('writes the header and interface blocks byte for byte', () => {
    new PcapWriter(path, bytes, ['host0']).close();
    const header = '0a0d0d0a1c0000004d3c2b1a01000000ffffffffffffffff1c000000';
    const face = '010000002c0000000100000000000000';
    const options = '02000500686f737430000000' + '0900010009000000' + '00000000' + '2c000000';
    expect(readFileSync(path).toString('hex')).to.equal(header + face + options);
  });

  it('writes frames with interface, nanosecond time and padding', () => {
    const writer = new PcapWriter(path, bytes, ['a', 'b']);
    bytes.u8.set([1, 2, 3, 4, 5], data);
    writer.write(item(1, 5, 5_000_000_000_123_999));
    writer.close();
    const block = readFileSync(path).subarray(-92);
    expect(block.readUInt32LE(0)).to.equal(6);
    expect(block.readUInt32LE(4)).to.equal(92);
    expect(block.readUInt32LE(8)).to.equal(1);
    expect(block.readUInt32LE(12) * 2 ** 32 + block.readUInt32LE(16)).to.equal(5_000_000_000_123);
    expect([block.readUInt32LE(20), block.readUInt32LE(24)]).to.deep.equal([5, 5]);
    expect([...block.subarray(28, 36)]).to.deep.equal([1, 2, 3, 4, 5, 0, 0, 0]);
    expect([block.readUInt16LE(36), block.readUInt16LE(38)], 'comment').to.deep.equal([1, 34]);
    expect(block.subarray(40, 76).toString('utf8')).to.equal('raw: software has built this frame\0\0');
    expect(block.subarray(76, 88).toString('hex'), 'outbound').to.equal('020004000200000000000000');
    expect(block.readUInt32LE(88)).to.equal(92);
  });

  it('names its file when that cannot be written', () => {
    const writer = new PcapWriter('/dev/full', bytes, ['host0']);
    expect(() => writer.flush()).to.throw('capture /dev/full: ENOSPC: no space left on device');
  });

  it('loses nothing when the buffer fills', () => {
    const writer = new PcapWriter(path, bytes, ['a']);
    for (let i = 0; i < 700; i++) writer.write(item(0, 4096, i * 1000));
    expect(readFileSync(path).length).to.be.greaterThan(1_000_000);
    writer.close();
    writer.close();
    writer.write(item(0, 64, 0));
    const file = readFileSync(path);
    let blocks = 0;
    for (let at = 0; at < file.length; at += file.readUInt32LE(at + 4)) {
      const total = file.readUInt32LE(at + 4);
      expect(file.readUInt32LE(at + total - 4)).to.equal(total);
      blocks++;
    }
    expect(blocks).to.equal(702);
    expect(writer.frames).to.equal(700);
  });
});
