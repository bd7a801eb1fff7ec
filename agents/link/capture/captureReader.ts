/**
 * Reads the frames of a capture one after the other, in bounded memory: pcap (IETF draft-ietf-opsawg-pcap; microseconds and
 * nanoseconds) and pcapng (draft-ietf-opsawg-pcapng), each in both byte orders. Everything that a file says of its own lengths
 * is held against what there is.
 */

import { DataError } from '../../../files/dataError.ts';
import type { StoredFile } from '../../../files/storedFile.ts';
import type { FormatReader } from './captureFrame.ts';
import { isPcapMagic, PcapReader } from './pcapReader.ts';
import { PcapngReader, SECTION_HEADER } from './pcapngReader.ts';

const GZIP = 0x1f8b;
const MAGIC_BYTES = 4;

/**
 * Begins at the beginning of the file, also of one that was read before.
 * @throws DataError for what is no capture
 */
export function openCapture(file: StoredFile): FormatReader {
  file.rewind();
  const magic = Buffer.alloc(MAGIC_BYTES);
  if (file.read(magic) < MAGIC_BYTES) throw new DataError(`it has ${file.size} B, which is too short for a capture`);
  const word = magic.readUInt32BE();
  if (word === SECTION_HEADER) return new PcapngReader(file, magic);
  if (isPcapMagic(magic)) return new PcapReader(file, magic);
  if (word >>> 16 === GZIP) throw new DataError('it is compressed; unpack it with gunzip first');
  const found = `0x${word.toString(16).padStart(8, '0')}`;
  throw new DataError(`it begins with ${found}, which neither pcap nor pcapng does; give a capture of one of them`);
}
