/**
 * The plusargs of the standard (1800.2 Annex G), read once into plain settings.
 *
 * Bad syntax is noted and skipped, the run goes on. Nothing is applied here: `reportSettings.ts` applies what
 * concerns reports, `applyArguments.ts` the rest.
 */
import { type Action, ACTION_NAMES, parseActions } from '../report/action.ts';
import { parseSeverity, SEVERITY, SEVERITY_NAMES, type Severity } from '../report/severity.ts';
import { isStandardVerbosity, nearestVerbosity, parseVerbosity, UVM_MEDIUM } from '../report/verbosity.ts';
import type { SimTime } from '../kernel/scheduler.ts';
import { parsePhaseName, type PhaseName } from '../base/phase.ts';
import { patternMistake } from '../base/glob.ts';
import { parseInteger } from './parseInteger.ts';
import { parseDuration } from './parseDuration.ts';
import { didYouMean } from './nearest.ts';
import type { Plusargs } from './plusargs.ts';

/** Id of notes about arguments that cannot be read. */
export const INVALID_ARGUMENT = 'INVLCMDARGS';

/** Something to be reported when the run starts. */
export interface ArgumentNote {
  readonly severity: Severity;
  readonly id: string;
  readonly text: string;
}

/** `+uvm_set_verbosity`: `id` undefined means all; either a phase or a time. */
export interface VerbositySetting {
  readonly arg: string;
  readonly component: string;
  readonly id: string | undefined;
  readonly level: number;
  readonly phase: PhaseName | undefined;
  /** Absolute, in ps. */
  readonly time: SimTime | undefined;
}

/** `+uvm_set_action`; severity undefined means all. */
export interface ActionSetting {
  readonly arg: string;
  readonly component: string;
  readonly id: string | undefined;
  readonly severity: Severity | undefined;
  readonly action: Action;
}

/** `+uvm_set_severity`; from undefined means all. */
export interface SeveritySetting {
  readonly arg: string;
  readonly component: string;
  readonly id: string | undefined;
  readonly from: Severity | undefined;
  readonly to: Severity;
}

/** `+uvm_set_type_override` or `+uvm_set_inst_override`. */
export interface OverrideSetting {
  readonly arg: string;
  readonly requested: string;
  readonly substitute: string;
  /** Undefined for a type override. */
  readonly path: string | undefined;
  readonly replace: boolean;
}

/** `+uvm_set_config_int` or `+uvm_set_config_string`. */
export interface ConfigSetting {
  readonly arg: string;
  readonly component: string;
  readonly field: string;
  readonly value: number | bigint | string;
}

/** `+uvm_set_default_sequence`. */
export interface DefaultSequenceSetting {
  readonly arg: string;
  readonly sequencer: string;
  readonly phase: PhaseName;
  readonly type: string;
}

/** All of them. */
export interface UvmArguments {
  readonly testName: string | undefined;
  /** Undefined when not given. */
  readonly verbosity: number | undefined;
  readonly timeout: { readonly time: SimTime; readonly overridable: boolean } | undefined;
  readonly maxQuitCount: { readonly count: number; readonly overridable: boolean } | undefined;
  readonly phaseTrace: boolean;
  readonly objectionTrace: boolean;
  readonly configTrace: boolean;
  readonly resourceTrace: boolean;
  readonly dumpArguments: boolean;
  readonly dumpReportArguments: boolean;
  readonly noBanner: boolean;
  readonly verbositySettings: readonly VerbositySetting[];
  readonly actionSettings: readonly ActionSetting[];
  readonly severitySettings: readonly SeveritySetting[];
  readonly overrides: readonly OverrideSetting[];
  readonly configs: readonly ConfigSetting[];
  readonly defaultSequences: readonly DefaultSequenceSetting[];
  readonly notes: readonly ArgumentNote[];
}

/** Reads every standard plusarg; problems become notes. */
export function readUvmArguments(plusargs: Plusargs): UvmArguments {
  const notes: ArgumentNote[] = [];
  const reader = new Reader(plusargs, notes);
  plusargs.has('UVM_USE_OVM_RUN_SEMANTIC');
  plusargs.has('UVM_ENABLE_REG_LOOKUP_CACHE');
  return {
    testName: reader.single('UVM_TESTNAME', 'MULTTST'),
    verbosity: reader.verbosity(),
    timeout: reader.timeout(),
    maxQuitCount: reader.maxQuitCount(),
    phaseTrace: plusargs.has('UVM_PHASE_TRACE'),
    objectionTrace: plusargs.has('UVM_OBJECTION_TRACE'),
    configTrace: plusargs.has('UVM_CONFIG_DB_TRACE'),
    resourceTrace: plusargs.has('UVM_RESOURCE_DB_TRACE'),
    dumpArguments: plusargs.has('UVM_DUMP_CMDLINE_ARGS'),
    dumpReportArguments: plusargs.has('UVM_DUMP_REPORT_ARGS'),
    noBanner: plusargs.has('UVM_NO_RELNOTES'),
    verbositySettings: reader.each(['uvm_set_verbosity'], verbositySetting),
    actionSettings: reader.each(['uvm_set_action'], actionSetting),
    severitySettings: reader.each(['uvm_set_severity'], severitySetting),
    overrides: [
      ...reader.each(bothCases('uvm_set_inst_override'), instOverride),
      ...reader.each(bothCases('uvm_set_type_override'), typeOverride),
    ],
    configs: [
      ...reader.each(bothCases('uvm_set_config_int'), configInt),
      ...reader.each(bothCases('uvm_set_config_bitstream'), configBitstream),
      ...reader.each(bothCases('uvm_set_config_string'), configString),
    ],
    defaultSequences: reader.each(bothCases('uvm_set_default_sequence'), defaultSequence),
    notes,
  };
}

function bothCases(name: string): readonly [string, string] {
  return [name, name.toUpperCase()];
}

/** The fields of one argument, or a text that says what is wrong with it. */
type Reading<T> = T | string;
type FieldReader<T extends object> = (fields: readonly string[], arg: string) => Reading<T>;

class Reader {
  readonly #plusargs: Plusargs;
  readonly #notes: ArgumentNote[];

  constructor(plusargs: Plusargs, notes: ArgumentNote[]) {
    this.#plusargs = plusargs;
    this.#notes = notes;
  }

  /** First value; others are listed in a warning under the id of the standard. */
  single(name: string, warningId: string): string | undefined {
    const values = this.#plusargs.values(name);
    if (values.length > 1) {
      this.#note(
        SEVERITY.warning,
        warningId,
        `Multiple (${values.length}) +${name} arguments provided on the command line. '${values[0]}' will be used. ` +
          `Provided list: ${values.join(', ')}.`,
      );
    }
    return values[0];
  }

  verbosity(): number | undefined {
    const text = this.single('UVM_VERBOSITY', 'MULTVERB');
    if (text === undefined) return undefined;
    const level = parseVerbosity(text);
    if (level === undefined) {
      const hint = nearestVerbosity(text)[0];
      const suggestion = hint === undefined ? '' : `; did you mean ${hint}?`;
      this.#note(SEVERITY.warning, 'INVLVERB', `Unknown verbosity '${text}', UVM_MEDIUM is used${suggestion}`);
      return UVM_MEDIUM;
    }
    if (!isStandardVerbosity(text)) {
      this.#note(SEVERITY.info, 'NSTVERB', `Non-standard verbosity value, using provided '${level}'.`);
    }
    return level;
  }

  timeout(): UvmArguments['timeout'] {
    const text = this.single('UVM_TIMEOUT', 'MULTTIMOUT');
    if (text === undefined) return undefined;
    const { value, overridable } = this.#overridable('UVM_TIMEOUT', text);
    const time = parseDuration(value);
    if (time === undefined || time === 0) {
      this.#invalid(`+UVM_TIMEOUT=${text}`, `'${value}' is not a positive time such as 500000 (ns) or 500us`);
      return undefined;
    }
    this.#note(SEVERITY.info, 'TIMOUTSET', `'+UVM_TIMEOUT=${text}' provided on the command line is being applied.`);
    return { time, overridable };
  }

  maxQuitCount(): UvmArguments['maxQuitCount'] {
    const text = this.single('UVM_MAX_QUIT_COUNT', 'MULTMAXQUIT');
    if (text === undefined) return undefined;
    const { value, overridable } = this.#overridable('UVM_MAX_QUIT_COUNT', text);
    if (!/^\d+$/.test(value)) {
      this.#invalid(`+UVM_MAX_QUIT_COUNT=${text}`, `'${value}' is not a count`);
      return undefined;
    }
    this.#note(SEVERITY.info, 'MAXQUITSET', `'+UVM_MAX_QUIT_COUNT=${text}' provided on the command line is applied.`);
    return { count: Number(value), overridable };
  }

  /** All occurrences of an argument with comma-separated fields. */
  each<T extends object>(names: readonly string[], read: FieldReader<T>): T[] {
    const [first = '', ...aliases] = names;
    const results: T[] = [];
    for (const value of this.#plusargs.values(first, ...aliases)) {
      const arg = `+${first}=${value}`;
      const result = read(
        value.split(',').map((f) => f.trim()),
        arg,
      );
      const wrong = typeof result === 'string' ? result : wrongPattern(result);
      if (wrong !== undefined) this.#invalid(arg, wrong);
      else results.push(result as T);
    }
    return results;
  }

  #overridable(name: string, text: string): { value: string; overridable: boolean } {
    const [value = '', flag = 'YES', ...rest] = text.split(',');
    const known = /^(yes|no|1|0)$/i.test(flag) && rest.length === 0;
    if (!known) this.#invalid(`+${name}=${text}`, `'${[flag, ...rest].join(',')}' is not YES or NO`);
    return { value, overridable: !/^(no|0)$/i.test(flag) || !known };
  }

  #invalid(arg: string, reason: string): void {
    this.#note(SEVERITY.warning, INVALID_ARGUMENT, `${arg}: ${reason}`);
  }

  #note(severity: Severity, id: string, text: string): void {
    this.#notes.push({ severity, id, text });
  }
}

/** Fields that are matched with paths and names. */
const PATTERNS = ['component', 'path', 'sequencer', 'field'] as const;

function wrongPattern(setting: { readonly [K in (typeof PATTERNS)[number]]?: unknown }): string | undefined {
  const texts = PATTERNS.map((name) => setting[name]).filter((text) => typeof text === 'string');
  const [first] = texts.flatMap((text) => patternMistake(text) ?? []);
  return first;
}

function allOrOne(id: string): string | undefined {
  return id === '_ALL_' || id === '*' ? undefined : id;
}

function counts(fields: readonly string[], shape: string, ...allowed: number[]): string | undefined {
  if (allowed.includes(fields.length) && !fields.slice(0, 3).includes('')) return undefined;
  return `expected ${shape}`;
}

const verbositySetting: FieldReader<VerbositySetting> = (fields, arg) => {
  const shape = '<component>,<id>,<verbosity>,<phase> or <component>,<id>,<verbosity>,time,<time>';
  const wrong = counts(fields, shape, 4, 5);
  if (wrong !== undefined) return wrong;
  const [component = '', id = '', text = '', when = '', timeText = ''] = fields;
  const level = parseVerbosity(text);
  if (level === undefined) return `unknown verbosity '${text}'${didYouMean(text, nearestVerbosity(text))}`;
  const base = { arg, component, id: allOrOne(id), level };
  if (when === 'time') {
    const time = parseDuration(timeText);
    return time === undefined
      ? `'${timeText}' is not a time such as 1500 (ns) or 1500ns`
      : { ...base, time, phase: undefined };
  }
  const phase = parsePhaseName(when);
  return phase === undefined ? `unknown phase '${when}'` : { ...base, phase, time: undefined };
};

const actionSetting: FieldReader<ActionSetting> = (fields, arg) => {
  const wrong = counts(fields, '<component>,<id>,<severity>,<action[|action]>', 4);
  if (wrong !== undefined) return wrong;
  const [component = '', id = '', severityText = '', actionText = ''] = fields;
  const severity = parseSeverity(severityText);
  if (severity === undefined && severityText !== '_ALL_') return unknownSeverity(severityText);
  const action = parseActions(actionText);
  if (action === undefined) return `unknown action '${actionText}'${didYouMean(actionText, ACTION_NAMES)}`;
  return { arg, component, id: allOrOne(id), severity, action };
};

const severitySetting: FieldReader<SeveritySetting> = (fields, arg) => {
  const wrong = counts(fields, '<component>,<id>,<current severity>,<new severity>', 4);
  if (wrong !== undefined) return wrong;
  const [component = '', id = '', fromText = '', toText = ''] = fields;
  const from = parseSeverity(fromText);
  if (from === undefined && fromText !== '_ALL_') return unknownSeverity(fromText);
  const to = parseSeverity(toText);
  return to === undefined ? unknownSeverity(toText) : { arg, component, id: allOrOne(id), from, to };
};

function unknownSeverity(text: string): string {
  return `unknown severity '${text}'${didYouMean(text, SEVERITY_NAMES)}`;
}

const instOverride: FieldReader<OverrideSetting> = (fields, arg) => {
  const wrong = counts(fields, '<requested type>,<override type>,<instance path>', 3);
  if (wrong !== undefined) return wrong;
  const [requested = '', substitute = '', path = ''] = fields;
  return { arg, requested, substitute, path, replace: true };
};

const typeOverride: FieldReader<OverrideSetting> = (fields, arg) => {
  const wrong = counts(fields, '<requested type>,<override type>[,0|1]', 2, 3);
  if (wrong !== undefined) return wrong;
  const [requested = '', substitute = '', replace = '1'] = fields;
  if (replace !== '0' && replace !== '1') return `the third field is 0 or 1, not '${replace}'`;
  return { arg, requested, substitute, path: undefined, replace: replace === '1' };
};

const CONFIG_SHAPE = '<component>,<field>,<value>';

const configInt: FieldReader<ConfigSetting> = (fields, arg) => {
  const setting = configBitstream(fields, arg);
  if (typeof setting === 'string') return setting;
  return { ...setting, value: Number(BigInt.asIntN(32, setting.value as bigint)) };
};

const configBitstream: FieldReader<ConfigSetting> = (fields, arg) => {
  const wrong = counts(fields, CONFIG_SHAPE, 3);
  if (wrong !== undefined) return wrong;
  const [component = '', field = '', text = ''] = fields;
  const value = parseInteger(text);
  if (value === undefined) return `'${text}' is not an integer (decimal, 'd, 'h, 'x, 0x, 'o, 'b or 0b)`;
  return { arg, component, field, value };
};

const configString: FieldReader<ConfigSetting> = (fields, arg) => {
  if (fields.length !== 3 || fields[0] === '' || fields[1] === '')
    return `expected ${CONFIG_SHAPE}, no comma in the value`;
  const [component = '', field = '', value = ''] = fields;
  return { arg, component, field, value };
};

const defaultSequence: FieldReader<DefaultSequenceSetting> = (fields, arg) => {
  const wrong = counts(fields, '<sequencer>,<phase>,<sequence type>', 3);
  if (wrong !== undefined) return wrong;
  const [sequencer = '', phaseText = '', type = ''] = fields;
  const phase = parsePhaseName(phaseText);
  if (phase !== 'run') return `the phase '${phaseText}' runs no sequences; use run_phase`;
  return { arg, sequencer, phase, type };
};
