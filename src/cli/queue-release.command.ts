import { Inject } from '@nestjs/common';
import { SubCommand } from 'nest-commander';
import { validate as isUuid } from 'uuid';
import { type Actor, COMMAND_ACTOR } from '../audit/audit.js';
import { OperatorError } from '../errors/operator-error.js';
import { OperatorCommand } from './operator-command.js';
import type { Report } from './output.js';

/** What was decided, of which documents. */
interface ReleaseResult {
  readonly submissionId: string;
  readonly decision: 'resend' | 'adopt' | 'fail';
  readonly documents: readonly { readonly referenceId: string }[];
  /** The submission of documents that were left in doubt. */
  readonly stillInDoubt: string | null;
}

/** Decides submissions that stayed in doubt; every method throws an OperatorError when it changed nothing. */
export interface SubmissionReleases {
  resend(submissionId: string, actor: Actor): Promise<ReleaseResult>;
  fail(submissionId: string, actor: Actor): Promise<ReleaseResult>;
  adopt(submissionId: string, uuids: readonly string[], actor: Actor): Promise<ReleaseResult>;
}

/** Injection token of what decides: another feature, which cli.module binds. */
export const SUBMISSION_RELEASES = Symbol('SubmissionReleases');

/** Exactly one of them decides. */
interface ReleaseOptions {
  readonly resend?: true;
  readonly fail?: true;
  readonly adopt?: readonly string[];
}

const EFFECTS: Readonly<Record<ReleaseResult['decision'], string>> = {
  resend: 'queued again',
  adopt: 'adopted, and followed from now on',
  fail: 'failed',
};

@SubCommand({
  name: 'release',
  arguments: '<submission>',
  argsDescription: { submission: 'the submission in doubt, as "queue show" shows it' },
  description: 'decide a submission that stayed in doubt',
})
export class QueueReleaseCommand extends OperatorCommand {
  @Inject(SUBMISSION_RELEASES) private readonly releases: SubmissionReleases;
  protected readonly options = [];

  override setCommand(command: Parameters<OperatorCommand['setCommand']>[0]): this {
    command
      .option('--resend', 'the authority has none of it: send its documents again')
      .option('--adopt <uuid...>', "the authority's uuid of each document in order, or REFERENCE=UUID of some")
      .option('--fail', 'give its documents up: SubmitFailed');
    return super.setCommand(command);
  }

  protected async execute(_given: object, [submissionId]: readonly string[]): Promise<Report> {
    if (!isUuid(submissionId)) throw new OperatorError('SUBMISSION must be an id such as "queue show" shows');
    const released = await this.decide(submissionId.toLowerCase(), this.command.opts<ReleaseOptions>());
    const { decision, documents, stillInDoubt } = released;
    const numbers = documents.map(({ referenceId }) => referenceId).join(', ');
    const rest = stillInDoubt === null ? '' : ` The others are still in doubt, as submission ${stillInDoubt}.`;
    return { json: released, text: `${documents.length} documents ${EFFECTS[decision]}: ${numbers}.${rest}` };
  }

  private decide(submissionId: string, { resend, fail, adopt }: ReleaseOptions): Promise<ReleaseResult> {
    const given = [resend, fail, adopt].filter((each) => each !== undefined);
    if (given.length !== 1) throw new OperatorError('Give one of --resend, --adopt UUID… or --fail');
    if (adopt !== undefined) return this.releases.adopt(submissionId, adopt, COMMAND_ACTOR);
    return resend === true
      ? this.releases.resend(submissionId, COMMAND_ACTOR)
      : this.releases.fail(submissionId, COMMAND_ACTOR);
  }
}
