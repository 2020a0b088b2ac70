import { ApiProperty } from '@nestjs/swagger';
import { ChosenField } from '../common/response-fields.js';
import type { UserAccount } from '../entities/user-account.entity.js';

/** Who may have done something to an organisation's documents, as its members are shown it. */
export const ACTOR_KINDS = ['key', 'user', 'operator'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

export class ActorDto {
  @ChosenField(ACTOR_KINDS, { description: 'An API key, a user of the dashboard, or an operator of the service.' })
  kind: ActorKind;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'Of the key or the user.' })
  id: string | null;

  @ApiProperty({ type: String, example: 'ERP', description: 'The name of the key or the user.' })
  name: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'eisk_test_…x7Qd',
    description: 'How the text of the key begins and ends, or the e-mail address of the user.',
  })
  detail: string | null;
}

/** Which operator it was is for the operators' own audit log. */
export const OPERATOR: ActorDto = { kind: 'operator', id: null, name: 'Operator', detail: null };

/** A field that names an actor, or null. */
export function ActorField(description: string): PropertyDecorator {
  return ApiProperty({ type: ActorDto, nullable: true, description });
}

/**
 * SQL: the key or the user of a row that has `api_key_id` and `user_id`, as an ActorDto; null when it has neither. A
 * key is looked up under row-level security, in the organisation of the row.
 */
export function buildActorSql(row: string): string {
  return /* sql */ `(
    SELECT jsonb_build_object('kind', 'key', 'id', k.id, 'name', k.name, 'detail', k.prefix || '…' || k.last_four)
      FROM api_key k WHERE k.tenant_id = ${row}.tenant_id AND k.id = ${row}.api_key_id
    UNION ALL
    SELECT jsonb_build_object('kind', 'user', 'id', u.id, 'name', u.name, 'detail', u.email)
      FROM user_account u WHERE u.id = ${row}.user_id)`;
}

/** The same of a user who is read already. */
export function toActor({ id, name, email }: UserAccount): ActorDto {
  return { kind: 'user', id, name, detail: email };
}

/** In one cell of a file. */
export function formatActor(actor: ActorDto | null): string | null {
  if (actor === null) return null;
  return actor.detail === null ? actor.name : `${actor.name} (${actor.detail})`;
}
