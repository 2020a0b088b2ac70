import { Command, SubCommand } from 'nest-commander';
import { OperatorError } from '../errors/operator-error.js';
import { type EvidenceProblem, type EvidenceReport, verifyEvidence } from '../paper/verify-evidence.js';
import { CommandGroup, ReportedCommand } from './operator-command.js';
import { type Column, type Report, formatTable } from './output.js';

const PROBLEM_COLUMNS: readonly Column<EvidenceProblem>[] = [
  ['file', ({ path }) => path],
  ['problem', ({ problem }) => problem],
];

@SubCommand({
  name: 'verify',
  arguments: '<file>',
  argsDescription: { file: 'the ZIP file, as downloaded from the dashboard' },
  description: 'compare a ZIP of evidence with its manifest',
})
export class EvidenceVerifyCommand extends ReportedCommand {
  protected readonly options = [];

  protected async execute(_given: object, [file]: readonly string[]): Promise<Report> {
    const { intact, problems } = await this.verify(file);
    const json = { file, isIntact: problems.length === 0, intact, problems };
    if (problems.length === 0) return { json, text: `${file}: all ${intact} files match the manifest` };
    const failure = `${file} is not intact: ${problems.length} of its files are wrong; ${intact} match the manifest`;
    return { json, text: formatTable(problems, PROBLEM_COLUMNS, ''), failure };
  }

  private async verify(file: string): Promise<EvidenceReport> {
    try {
      return await verifyEvidence(file);
    } catch (error) {
      throw new OperatorError(
        `${file} cannot be read as a ZIP: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
}

@Command({
  name: 'evidence',
  description: 'downloaded evidence: verify',
  subCommands: [EvidenceVerifyCommand],
})
export class EvidenceCommands extends CommandGroup {}
