import { Inject } from '@nestjs/common';
import { Command } from 'nest-commander';
import type { OpenLogin } from './doctor/authority-findings.js';
import type { Finding } from './doctor/finding.js';
import { examine } from './doctor/findings.js';
import { type CommandContext, COMMAND_CONTEXT } from './command-context.js';
import { ReportedCommand } from './operator-command.js';
import { type Column, formatTable, type Report } from './output.js';

const COLUMNS: readonly Column<Finding>[] = [
  ['check', ({ check }) => check],
  ['result', ({ result }) => result],
  ['found', ({ found }) => found],
  ['what to do', ({ fix }) => fix],
];

export const OPEN_LOGIN = Symbol('OpenLogin');

/** Checks the deployment without an audit entry. Its logins count against the call budget. */
@Command({ name: 'doctor', description: 'check the deployment and suggest a fix for each problem' })
export class DoctorCommand extends ReportedCommand {
  protected readonly options = [];

  constructor(
    @Inject(COMMAND_CONTEXT) private readonly context: CommandContext,
    @Inject(OPEN_LOGIN) private readonly openLogin: OpenLogin,
  ) {
    super();
  }

  protected async execute(): Promise<Report> {
    const findings = await examine(this.context, this.openLogin);
    const problems = findings.filter(({ result }) => result === 'problem').length;
    const text = formatTable(findings, COLUMNS, '');
    return { json: { findings }, text, ...(problems > 0 && { failure: `${problems} problems found` }) };
  }
}
