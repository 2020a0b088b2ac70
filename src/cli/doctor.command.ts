import { Inject } from '@nestjs/common';
import { Command } from 'nest-commander';
import { DataSource } from 'typeorm';
import { type Configuration, CONFIGURATION } from '../config/configuration.js';
import { examine, type Finding } from './doctor/findings.js';
import { ReportedCommand } from './operator-command.js';
import { type Column, formatTable, type Report } from './output.js';

const COLUMNS: readonly Column<Finding>[] = [
  ['check', ({ check }) => check],
  ['result', ({ result }) => result],
  ['found', ({ found }) => found],
  ['what to do', ({ fix }) => fix],
];

/** Reads only and writes nothing, not even to the audit log: it must work on a database that lacks migrations. */
@Command({ name: 'doctor', description: 'check the deployment, and say what to do about each finding' })
export class DoctorCommand extends ReportedCommand {
  protected readonly options = [];

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {
    super();
  }

  protected async execute(): Promise<Report> {
    const findings = await examine(this.dataSource, this.configuration);
    const problems = findings.filter(({ result }) => result === 'problem').length;
    const text = formatTable(findings, COLUMNS, '');
    return { json: { findings }, text, ...(problems > 0 && { failure: `${problems} problems: see what to do` }) };
  }
}
