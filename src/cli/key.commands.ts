import { Command, SubCommand } from 'nest-commander';
import { appendAudit, COMMAND_ACTOR } from '../accounts/audit.js';
import { toActivityCounts, type KeyActivity, readKeyActivity } from '../accounts/api-keys/key-activity.js';
import { createKey, findKey, KEY_NAME_CHARACTERS_MAX, listKeys, revokeKey } from '../accounts/api-keys/keys.js';
import { OperatorError } from '../errors/operator-error.js';
import { INSTANT_EXAMPLE, parseInstant } from '../http/validation/instant.js';
import type { ApiKey } from '../entities/api-key.entity.js';
import {
  CommandGroup,
  type CommandOption,
  ENVIRONMENT_OPTION,
  OperatorCommand,
  TENANT_OPTION,
  parseEnvironment,
  parseText,
  parseUuid,
  refuseLookAlike,
} from './operator-command.js';
import { type Report, formatTable } from './output.js';

@SubCommand({ name: 'create', description: 'create an API key; its text is shown only once' })
export class KeyCreateCommand extends OperatorCommand {
  protected readonly options: readonly CommandOption[] = [
    TENANT_OPTION,
    ENVIRONMENT_OPTION,
    { flag: '--name', value: 'text', description: 'purpose of the key', isRequired: true },
    { flag: '--expires-at', value: 'timestamp', description: `such as ${INSTANT_EXAMPLE}; default: never` },
  ];

  protected async execute(given: Record<string, string | undefined>): Promise<Report> {
    const environment = parseEnvironment(given.environment);
    const name = parseText('--name', given.name, KEY_NAME_CHARACTERS_MAX);
    refuseLookAlike('--name', name);
    const expiresAt = parseExpiry(given.expiresAt);
    const { tenantId } = await this.tenants.show(parseUuid('--tenant', given.tenant));
    const { keyId, apiKey } = await this.dataSource.transaction(async (tx) => {
      const made = await createKey(tx, { tenantId, environment, name, createdBy: null, expiresAt });
      const details = { keyId: made.keyId, environment, expiresAt };
      await appendAudit(tx, COMMAND_ACTOR, { tenantId, action: 'key.created', subject: name, details });
      return made;
    });
    return { json: { keyId, apiKey }, text: `Key ${keyId} created. Store its text; it is not shown again:\n${apiKey}` };
  }
}

@SubCommand({ name: 'list', description: "list a tenant's keys, newest first" })
export class KeyListCommand extends OperatorCommand {
  protected readonly options = [TENANT_OPTION];

  protected async execute(given: Record<string, string | undefined>): Promise<Report> {
    const { tenantId } = await this.tenants.show(parseUuid('--tenant', given.tenant));
    const keys = (await listKeys(this.dataSource.manager, tenantId)).map(toShownKey);
    const text = formatTable(
      keys,
      [
        ['key', (key) => key.keyId],
        ['name', (key) => key.name],
        ['environment', (key) => key.environment],
        ['text', (key) => key.text],
        ['created', (key) => key.createdAt],
        ['expires', (key) => key.expiresAt],
        ['revoked', (key) => key.revokedAt],
        ['last used', (key) => key.lastUsedAt],
      ],
      'This tenant has no keys: create one with "key create"',
    );
    return { json: { keys }, text };
  }
}

@SubCommand({ name: 'revoke', description: 'revoke a key immediately' })
export class KeyRevokeCommand extends OperatorCommand {
  protected readonly options: readonly CommandOption[] = [
    TENANT_OPTION,
    { flag: '--key', value: 'id', description: 'the key, as shown by "key list"', isRequired: true },
  ];

  protected async execute(given: Record<string, string | undefined>): Promise<Report> {
    const keyId = parseUuid('--key', given.key);
    const tenantId = parseUuid('--tenant', given.tenant);
    const activity = await this.dataSource.transaction(async (tx) => {
      const key = await findKey(tx, tenantId, keyId);
      if (key === null || !(await revokeKey(tx, tenantId, keyId))) return null;
      const done = await readKeyActivity(tx, key);
      const details = { keyId, environment: key.environment, activity: toActivityCounts(done) };
      await appendAudit(tx, COMMAND_ACTOR, { tenantId, action: 'key.revoked', subject: key.name, details });
      return done;
    });
    if (activity === null)
      throw new OperatorError(`This tenant has no key ${keyId}, or the key is already revoked: see "key list"`);
    return { json: { keyId, revoked: true, activity }, text: `Key ${keyId} is revoked. ${didText(activity)}` };
  }
}

@Command({
  name: 'key',
  description: 'API keys: create, list, revoke',
  subCommands: [KeyCreateCommand, KeyListCommand, KeyRevokeCommand],
})
export class KeyCommands extends CommandGroup {}

function didText({ submissionCount, documentCount, cancellationCount, isCapped, ...activity }: KeyActivity): string {
  const least = isCapped ? 'at least ' : '';
  const last = activity.lastSubmissionAt === null ? '' : `, the last at ${activity.lastSubmissionAt.toISOString()}`;
  return (
    `It made ${least}${submissionCount} submissions with ${documentCount} documents${last}, and ${least}` +
    `${cancellationCount} cancellations.`
  );
}

/** The public part of a key, without its digest. */
function toShownKey(key: ApiKey) {
  const { id, environment, name, prefix, lastFour, createdAt, expiresAt, revokedAt, lastUsedAt } = key;
  return { keyId: id, environment, name, text: `${prefix}…${lastFour}`, createdAt, expiresAt, revokedAt, lastUsedAt };
}

function parseExpiry(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const instant = parseInstant(text);
  if (instant === null) {
    throw new OperatorError(`--expires-at must be a timestamp with its UTC offset, such as ${INSTANT_EXAMPLE}`);
  }
  if (instant.getTime() <= Date.now()) throw new OperatorError(`--expires-at ${text} is in the past`);
  return instant;
}
