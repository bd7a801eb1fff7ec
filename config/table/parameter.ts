/**
 * How the text of a parameter is read. `int`: decimal or 0x hexadecimal. `size`: an int that must be a power of two.
 * `percent`: int 0 .. 100. `switch`: bare, or =0 / =1. `choice`: one of `choices`. `mtu`: bytes or an IBV_MTU name.
 * `psn`: a 24-bit number, `random` or `wrap`. `time`: number with unit (10us, 2ms); resolved to picoseconds.
 * `decimal`: a number with decimals. `rules`, `pcie-rules`, `inject-rules`: fault rules of the link and of PCIe, and packets to be injected, with `;` between them.
 * `judge-rows`: names of rules and widenings of the judge with `,` between them. `text`: anything.
 */
export type ParameterKind =
  | 'int'
  | 'size'
  | 'percent'
  | 'decimal'
  | 'switch'
  | 'choice'
  | 'mtu'
  | 'psn'
  | 'time'
  | 'rules'
  | 'pcie-rules'
  | 'inject-rules'
  | 'judge-rows'
  | 'text';

/** One row of the table. Defaults are written as they would be typed. */
export interface Parameter {
  readonly name: string;
  /** Other spellings of the same argument. */
  readonly aliases?: readonly string[];
  readonly group: 'topology' | 'work' | 'transport' | 'memory' | 'PCIe and link' | 'faults' | 'device' | 'run';
  readonly kind: ParameterKind;
  readonly min?: number;
  readonly max?: number;
  readonly choices?: readonly string[];
  readonly unit?: string;
  readonly default: string;
  /** Default in a particular test and in those that extend it, by test type name. */
  readonly per?: Readonly<Record<string, string>>;
  /** Mandatory in the published table: its default is listed in the log when it is used. */
  readonly published?: true;
  /** A text that names something: typed without a value it is a mistake, as an empty variable of a script leaves it. */
  readonly names?: string;
  /** All values of a repeated argument count, not the first alone. */
  readonly repeats?: true;
  readonly doc: string;
}
