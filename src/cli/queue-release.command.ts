import { Inject } from '@nestjs/common';
import { SubCommand } from 'nest-commander';
import { validate as isUuid } from 'uuid';
import { COMMAND_ACTOR } from '../audit/audit.js';
import { type ReleaseDecision, STATED_OUTCOMES, type StatedOutcome } from '../dispatcher/releases/release-decisions.js';
import type { DocumentOutcome, Release } from '../dispatcher/releases/release-plan.js';
import { SubmissionReleaseService } from '../dispatcher/releases/submission-release.service.js';
import { OperatorError } from '../errors/operator-error.js';
import { OperatorCommand } from './operator-command.js';
import type { Report } from './output.js';

/** Exactly one of them decides. */
interface ReleaseOptions {
  readonly resend?: true;
  readonly fail?: true;
  readonly adopt?: readonly string[];
  readonly outcome?: readonly string[];
}

const EFFECTS: Readonly<Record<ReleaseDecision, string>> = {
  resend: 'queued again',
  adopt: 'adopted, and followed from now on',
  outcome: 'decided as stated',
  fail: 'failed',
};

@SubCommand({
  name: 'release',
  arguments: '<submission>',
  argsDescription: { submission: 'the submission, as "queue show" shows it with the possible decisions' },
  description: 'decide a submission that stayed in doubt, or that no dispatcher works on',
})
export class QueueReleaseCommand extends OperatorCommand {
  @Inject(SubmissionReleaseService) private readonly releases: SubmissionReleaseService;
  protected readonly options = [];

  override setCommand(command: Parameters<OperatorCommand['setCommand']>[0]): this {
    command
      .option('--resend', 'the authority has none of it: send its documents again')
      .option('--adopt <uuid...>', "the authority's uuid of each document in order, or REFERENCE=UUID of some")
      .option(
        '--outcome <number...>',
        `what the portal shows of documents that no dispatcher works on: NUMBER=${STATED_OUTCOMES.join('|')}[:UUID]`,
      )
      .option('--fail', 'give its documents up: SubmitFailed');
    return super.setCommand(command);
  }

  protected async execute(_given: object, [submissionId]: readonly string[]): Promise<Report> {
    if (!isUuid(submissionId)) throw new OperatorError('SUBMISSION must be an id such as "queue show" shows');
    const released = await this.decide(submissionId.toLowerCase(), this.command.opts<ReleaseOptions>());
    const { decision, documents, stillInDoubt } = released;
    const numbers = documents
      .map(({ referenceId, unclear }) => referenceId + (unclear === null ? '' : ` (${unclear})`))
      .join(', ');
    const rest = stillInDoubt === null ? '' : ` The others are still in doubt, as submission ${stillInDoubt}.`;
    return { json: released, text: `${documents.length} documents ${EFFECTS[decision]}: ${numbers}.${rest}` };
  }

  private decide(submissionId: string, { resend, fail, adopt, outcome }: ReleaseOptions): Promise<Release> {
    const given = [resend, fail, adopt, outcome].filter((each) => each !== undefined);
    if (given.length !== 1) {
      throw new OperatorError('Give one of --resend, --adopt UUID…, --outcome NUMBER=STATUS… or --fail');
    }
    if (outcome !== undefined) return this.releases.outcome(submissionId, outcome.map(parseOutcome), COMMAND_ACTOR);
    if (adopt !== undefined) return this.releases.adopt(submissionId, adopt, COMMAND_ACTOR);
    return resend === true
      ? this.releases.resend(submissionId, COMMAND_ACTOR)
      : this.releases.fail(submissionId, COMMAND_ACTOR);
  }
}

const OUTCOME = new RegExp(`^(?<referenceId>.+)=(?<status>${STATED_OUTCOMES.join('|')})(?::(?<uuid>[^:=]+))?$`, 's');

function parseOutcome(text: string): DocumentOutcome {
  const { referenceId, status, uuid } = OUTCOME.exec(text)?.groups ?? {};
  if (referenceId === undefined) {
    const [example] = STATED_OUTCOMES;
    throw new OperatorError(
      `--outcome takes NUMBER=STATUS or NUMBER=STATUS:UUID with ${STATED_OUTCOMES.join(', ')} as the status, such as ` +
        `INV-1=${example}; "${text}" is neither`,
    );
  }
  return { referenceId, status: status as StatedOutcome, authorityUuid: uuid ?? null };
}
