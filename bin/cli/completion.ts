/**
 * `hca_test completion bash|zsh|fish`: what a shell completes on the command lines of all programs, from the tables that
 * check and explain the flags.
 */

import { PARAMETERS } from '../../config/table/parameterTable.ts';
import { shellQuote } from '../../uvm/cmdline/shellQuote.ts';
import { PERF_FLAGS } from '../perf/perfFlags.ts';
import type { Flag, FlagTable } from './flagTable.ts';
import { REGRESS_COMMANDS } from './commands/regressCommands.ts';
import { REGRESS_FLAGS } from './regressFlags.ts';
import { TEST_FLAGS } from './testFlags.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** A word that may stand on a command line. */
interface Word {
  readonly text: string;
  readonly describe: string;
  /** Another word follows, or a value. */
  readonly takesValue: boolean;
}

interface Program {
  readonly name: string;
  readonly words: readonly Word[];
}

/** A script to be sourced (bash, zsh), or to be kept where fish looks. */
export function completionScript(shell: Shell): string {
  const programs = [
    { name: 'hca_test', words: [...flagWords(TEST_FLAGS), ...plusargWords()] },
    {
      name: 'hca_regress',
      words: [
        ...REGRESS_COMMANDS.map(({ name, summary }) => verb(name, summary)),
        ...flagWords(REGRESS_FLAGS),
        ...plusargWords(),
      ],
    },
    { name: 'hca_perf', words: [...flagWords(PERF_FLAGS), ...plusargWords()] },
  ];
  return SCRIPTS[shell](programs);
}

const SCRIPTS: Readonly<Record<Shell, (programs: readonly Program[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

function flagWords(table: FlagTable): Word[] {
  return Object.entries(table).flatMap(([name, flag]) => spellings(name, flag).map((text) => wordOf(text, flag)));
}

function spellings(name: string, { alias }: Flag): string[] {
  return [`--${name}`, ...(alias === undefined ? [] : [`-${alias}`])];
}

function wordOf(text: string, { type, optionalValue, describe }: Flag): Word {
  return { text, describe, takesValue: type === 'string' && optionalValue !== true };
}

function plusargWords(): Word[] {
  return PARAMETERS.map(({ name }) => ({ text: `+${name}=`, describe: 'plusarg', takesValue: false }));
}

function verb(text: string, describe: string): Word {
  return { text, describe, takesValue: false };
}

/** Words of the program; files where none of them fits. */
function bashScript(programs: readonly Program[]): string {
  const cases = programs.map(({ name, words }) => {
    return `    ${name}) words=${shellQuote(words.map(({ text }) => text).join(' '))} ;;`;
  });
  return `# Completion of rnic-verify for bash: source it, or keep it in ~/.local/share/bash-completion/completions.
_rnic_verify() {
  local words= current=\${COMP_LINE:0:COMP_POINT}
  current=\${current##* }
  case \${COMP_WORDS[0]##*/} in
${cases.join('\n')}
  esac
  COMPREPLY=()
  [ -n "$current" ] && [ "\${current#*=}" != "$current" ] && return
  local found
  while IFS= read -r found; do COMPREPLY+=("$found"); done < <(compgen -W "$words" -- "$current")
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -o default -F _rnic_verify ${programs.map(({ name }) => `${name} ./${name}`).join(' ')}`;
}

function zshScript(programs: readonly Program[]): string {
  const cases = programs.map(({ name, words }) => {
    const lines = words.map(({ text, describe }) => `      ${quoted(`${text.replaceAll(':', '\\:')}:${describe}`)}`);
    return `    ${name}) words_of=(\n${lines.join('\n')}\n    ) ;;`;
  });
  return `#compdef ${programs.map(({ name }) => name).join(' ')}
# Completion of rnic-verify for zsh: keep it as _rnic_verify in a folder of $fpath, or source it after compinit.
_rnic_verify() {
  local -a words_of
  case \${words[1]:t} in
${cases.join('\n')}
  esac
  _describe -o word words_of || _files
}
compdef _rnic_verify ${programs.map(({ name }) => name).join(' ')}`;
}

function fishScript(programs: readonly Program[]): string {
  const lines = programs.flatMap(({ name, words }) => words.map((word) => fishLine(name, word)));
  return `# Completion of rnic-verify for fish: keep it as ~/.config/fish/completions/hca_test.fish.\n${lines.join('\n')}`;
}

function fishLine(program: string, { text, describe, takesValue }: Word): string {
  const about = `-d ${fishQuoted(describe)}`;
  const value = takesValue ? ' -r' : '';
  if (text.startsWith('--')) return `complete -c ${program} -l ${text.slice(2)}${value} ${about}`;
  if (text.startsWith('-')) return `complete -c ${program} -s ${text.slice(1)}${value} ${about}`;
  return `complete -c ${program} -a ${fishQuoted(text)} ${about}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Within quotes of fish a backslash protects quotes and itself. */
function fishQuoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
