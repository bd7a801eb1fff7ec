/** `hca_regress check-pcap`: judges a capture of RoCEv2, from a run of the harness or from real NICs. */

import { readFlags } from '../cli/readFlags.ts';
import { WIRE_REPORT_IDS, type WireReportId } from '../../agents/wire/wireRules.ts';
import { ACK_TIMER_PS } from '../../rdma/timers.ts';
import { writeAtomically } from '../../regress/atomicFile.ts';
import { nearest } from '../../uvm/cmdline/nearest.ts';
import { regressProgram } from '../calledAs.ts';
import type { FlagTable } from '../cli/flagTable.ts';
import { wholeOf } from '../cli/flagValues.ts';
import { commandUsage } from '../cli/commands/regressCommands.ts';
import { helpText } from '../cli/helpText.ts';
import { problemReport } from '../cli/problemReport.ts';
import { commandLineTokens } from '../cli/token.ts';
import type { Outputs } from '../many/playRegression.ts';
import { EXIT } from '../run/runSpec.ts';
import { captureSummary, findingLine } from './captureTexts.ts';
import { captureJson } from './captureJson.ts';
import { type CaptureRequest, judgeCapture } from './judgeCapture.ts';

const DEFAULT_MOST = 100;
const DEFAULT_CODE = 1;
const CODES = { least: 1, most: 31 };
const FINDINGS = { least: 0, most: 1_000_000 };

const CHECK_PCAP_FLAGS = {
  sent: {
    group: 'How to judge:',
    type: 'boolean',
    describe: 'Every frame is as its NIC sent it, and none is missing, though the capture does not say so',
  },
  'ack-timeout': {
    group: 'How to judge:',
    type: 'string',
    value: 'code',
    describe: `Least ACK time-out code of queue pairs, 4.096 us * 2^code: what is sent again without a cause sooner is a finding (default ${DEFAULT_CODE})`,
  },
  off: {
    group: 'How to judge:',
    type: 'string',
    value: 'ids',
    repeatable: true,
    describe: 'Rules that are not to be held: ids with commas, such as WIRE_UDP_PORT; may be repeated',
  },
  findings: {
    group: 'Output:',
    type: 'string',
    value: 'n',
    describe: `Findings that are printed at most; all are counted (default ${DEFAULT_MOST})`,
  },
  json: {
    group: 'Output:',
    type: 'string',
    value: 'file',
    describe: 'Write counts, rules and findings to this file as JSON',
  },
  quiet: { group: 'Output:', type: 'boolean', alias: 'q', describe: 'Print findings only' },
  help: { group: 'Output:', type: 'boolean', alias: 'h', describe: 'This text' },
} as const satisfies FlagTable;

const EPILOGUE = [
  'pcap and pcapng; Ethernet with IPv4 or IPv6, with a VLAN tag or without. Frame numbers are those of Wireshark.',
  'Exit codes: 0 no finding, 1 findings, 2 usage, or a file that is no whole capture.',
].join('\n');

interface CheckPcapCommand extends CaptureRequest {
  readonly json: string | undefined;
  readonly quiet: boolean;
}

/** @param argv words behind `check-pcap` @returns the exit code */
export async function checkPcap(argv: readonly string[], { out, err }: Outputs): Promise<number> {
  const problems: string[] = [];
  const command = parse(argv, problems);
  if (command === 'help') {
    out.line(await helpText(commandUsage('check-pcap'), CHECK_PCAP_FLAGS, EPILOGUE));
    return EXIT.passed;
  }
  if (problems.length > 0) {
    err.line(problemReport(regressProgram(), problems));
    return EXIT.usage;
  }
  return judgeFile(command, { out, err });
}

function judgeFile(command: CheckPcapCommand, { out, err }: Outputs): number {
  const judged = judgeCapture(command);
  if (typeof judged === 'string') {
    err.line(problemReport(regressProgram(), [`${command.file}: ${judged}`]));
    return EXIT.usage;
  }
  const { judge, broken } = judged;
  for (const finding of judge.findings.kept) out.line(findingLine(finding));
  const { total, kept } = judge.findings;
  if (kept.length < total) out.line(`... and ${total - kept.length} more; --findings ${total} prints them all`);
  if (!command.quiet) out.line(captureSummary(command, judged));
  if (command.json !== undefined) writeAtomically(command.json, captureJson(command.file, judged));
  if (broken !== '') {
    err.line(problemReport(regressProgram(), [`${command.file}: ${broken}`]));
    return EXIT.usage;
  }
  return total > 0 ? EXIT.failed : EXIT.passed;
}

function parse(argv: readonly string[], problems: string[]): CheckPcapCommand | 'help' {
  const checked = readFlags(commandLineTokens(argv), CHECK_PCAP_FLAGS);
  const { flags } = checked;
  if (flags['help'] === true) return 'help';
  problems.push(...checked.problems);
  const [file, ...rest] = checked.positionals.map(({ text }) => text);
  if (file === undefined || file === '') problems.push('check-pcap: needs a capture; --help shows how');
  for (const text of rest) problems.push(`${text} (command line): stands alone; one capture at a time`);
  const off = checked.all('off').flatMap((ids) => ids.split(',').map((id) => id.trim()));
  for (const id of off) if (!(id in WIRE_REPORT_IDS)) problems.push(unknownRule(id));
  const code = wholeOf('ack-timeout', flags['ack-timeout'] as string | undefined, CODES, DEFAULT_CODE, problems);
  return {
    file: file ?? '',
    sent: flags['sent'] === true,
    off: off as WireReportId[],
    ackTimeout: ACK_TIMER_PS[code] as number,
    most: wholeOf('findings', flags['findings'] as string | undefined, FINDINGS, DEFAULT_MOST, problems),
    json: flags['json'] as string | undefined,
    quiet: flags['quiet'] === true,
  };
}

function unknownRule(id: string): string {
  const [meant] = nearest(id, Object.keys(WIRE_REPORT_IDS), 1);
  const hint = meant === undefined ? 'docs/checks.md lists them' : `did you mean ${meant}?`;
  return `--off ${id} (command line): no rule of the wire; ${hint}`;
}
