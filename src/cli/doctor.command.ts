import { Inject } from '@nestjs/common';
import { Command } from 'nest-commander';
import { DataSource } from 'typeorm';
import { PlatformLogin } from '../authority/platform-login.js';
import { type Configuration, CONFIGURATION } from '../config/configuration.js';
import type { Finding } from './doctor/finding.js';
import { examine } from './doctor/findings.js';
import { ReportedCommand } from './operator-command.js';
import { type Column, formatTable, type Report } from './output.js';

const COLUMNS: readonly Column<Finding>[] = [
  ['check', ({ check }) => check],
  ['result', ({ result }) => result],
  ['found', ({ found }) => found],
  ['what to do', ({ fix }) => fix],
];

/** Writes no audit entry: it must work on a database that lacks migrations. Its logins take slots of the call budget. */
@Command({ name: 'doctor', description: 'check the deployment, and say what to do about each finding' })
export class DoctorCommand extends ReportedCommand {
  protected readonly options = [];

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly login: PlatformLogin,
  ) {
    super();
  }

  protected async execute(): Promise<Report> {
    const findings = await examine(this.dataSource, this.configuration, this.login);
    const problems = findings.filter(({ result }) => result === 'problem').length;
    const text = formatTable(findings, COLUMNS, '');
    return { json: { findings }, text, ...(problems > 0 && { failure: `${problems} problems: see what to do` }) };
  }
}
