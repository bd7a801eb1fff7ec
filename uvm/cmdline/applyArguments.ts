/** Applies the plusargs that concern factory and configuration, and finds those that had no effect. */
import type { ConfigDb } from '../base/configDb.ts';
import type { Factory, Override } from '../base/factory.ts';
import { UvmError } from '../base/uvmError.ts';
import { SEVERITY } from '../report/severity.ts';
import { didYouMean } from './nearest.ts';
import type { UnusedSetting } from './reportSettings.ts';
import type {
  ArgumentNote,
  ConfigSetting,
  DefaultSequenceSetting,
  OverrideSetting,
  UvmArguments,
} from './uvmArguments.ts';

const APPLIED = 'UVM_CMDLINE_PROC';

/** Sets the factory overrides; a substitute that is not registered is an error note `TYPNTF`. */
export function applyOverrides(args: UvmArguments, factory: Factory): ArgumentNote[] {
  return args.overrides.map((o) => applyOverride(o, factory));
}

/** Sets `+uvm_set_config_*` as the root, and `+uvm_set_default_sequence` where sequencers look for it. */
export function applyConfigs(args: UvmArguments, config: ConfigDb): ArgumentNote[] {
  const notes: ArgumentNote[] = [];
  for (const c of args.configs) {
    config.set(null, c.component, c.field, c.value, true);
    notes.push(info(`Applying config setting from the command line: ${c.arg}`));
  }
  for (const d of args.defaultSequences) {
    config.set(null, sequenceScope(d), 'default_sequence', d.type);
    notes.push(info(`Setting default sequence from the command line: ${d.arg}`));
  }
  return notes;
}

/** Says which settings of reports are in effect, or will be from a phase or a time on; `ReportSettings` applies them. */
export function reportNotes(args: UvmArguments): ArgumentNote[] {
  const kinds = [
    ['verbosity', args.verbositySettings],
    ['action', args.actionSettings],
    ['severity', args.severitySettings],
  ] as const;
  return kinds.flatMap(([kind, settings]) =>
    settings.map(({ arg }) => info(`Applying ${kind} setting from the command line: ${arg}`)),
  );
}

/** Overrides, configs and default sequences of the command line that nothing used. */
export function unusedSettings(
  args: UvmArguments,
  factory: Factory,
  config: ConfigDb,
  paths: readonly string[],
): UnusedSetting[] {
  const overrides = args.overrides.filter((o) => !(inForce(o, factory)?.uses ?? 0));
  return [
    ...overrides.map((o) => ({ arg: o.arg, reason: overrideReason(o, factory) })),
    ...args.configs
      .filter((c) => reads(config, c.component, c.field, true) === 0)
      .map((c) => configReason(c, config, paths)),
    ...args.defaultSequences
      .filter((d) => reads(config, sequenceScope(d), 'default_sequence') === 0)
      .map((d) => ({ arg: d.arg, reason: `no sequencer matches '${d.sequencer}'${didYouMean(d.sequencer, paths)}` })),
  ];
}

function applyOverride(o: OverrideSetting, factory: Factory): ArgumentNote {
  try {
    if (o.path !== undefined) factory.setInstOverride(o.requested, o.substitute, o.path);
    else if (!factory.setTypeOverride(o.requested, o.substitute, o.replace)) {
      return info(`${o.arg}: an earlier override of '${o.requested}' is kept`);
    }
    return info(`Applying override from the command line: ${o.arg}`);
  } catch (error) {
    if (!(error instanceof UvmError)) throw error;
    return { severity: SEVERITY.error, id: 'TYPNTF', text: `${o.arg}: ${error.message}` };
  }
}

function info(text: string): ArgumentNote {
  return { severity: SEVERITY.info, id: APPLIED, text };
}

function sequenceScope(d: DefaultSequenceSetting): string {
  return `${d.sequencer}.${d.phase}_phase`;
}

/** Undefined for one that could not be set, or that another has replaced. */
function inForce(o: OverrideSetting, factory: Factory): Override | undefined {
  return factory
    .overrides()
    .find((x) => x.requested === o.requested && x.substitute === o.substitute && x.path === (o.path ?? '*'));
}

function overrideReason(o: OverrideSetting, factory: Factory): string {
  if (inForce(o, factory) === undefined) return 'it was refused at the start, or another override has replaced it';
  const known = factory.has(o.requested) ? '' : didYouMean(o.requested, factory.typeNames());
  const where = o.path === undefined ? '' : ` at '${o.path}'`;
  return `the factory was asked for nothing of type '${o.requested}'${where}, or another override came first${known}`;
}

function reads(config: ConfigDb, scope: string, field: string, typed = false): number {
  let count = 0;
  for (const e of config.entries()) if (e.scope === scope && e.field === field && e.typed === typed) count += e.reads;
  return count;
}

function configReason(c: ConfigSetting, config: ConfigDb, paths: readonly string[]): UnusedSetting {
  const asked = [...config.askedFields()];
  const object = config.entries().find((e) => e.field === c.field && typeof e.value === 'object' && e.value !== null);
  if (object !== undefined && asked.includes(c.field))
    return { arg: c.arg, reason: `the field '${c.field}' holds an object, which a number or text cannot replace` };
  const reason = asked.includes(c.field)
    ? `no reader of '${c.field}' matches '${c.component}', or another setting had precedence` +
      didYouMean(c.component, paths)
    : `nothing asked for the field '${c.field}'${didYouMean(c.field, asked)}`;
  return { arg: c.arg, reason };
}
