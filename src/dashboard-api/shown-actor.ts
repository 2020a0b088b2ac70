import { ApiProperty } from '@nestjs/swagger';
import { ChosenField } from '../common/response-fields.js';
import type { UserAccount } from '../entities/user-account.entity.js';

/** Actors that members see in the history of their documents. */
export const ACTOR_KINDS = ['key', 'user', 'operator'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

export class ActorDto {
  @ChosenField(ACTOR_KINDS, { description: 'API key, dashboard user, or operator of the service.' })
  kind: ActorKind;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'Id of the key or user.' })
  id: string | null;

  @ApiProperty({ type: String, example: 'ERP', description: 'Name of the key or user.' })
  name: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'eisk_test_…x7Qd',
    description: 'First and last characters of the key, or the e-mail address of the user.',
  })
  detail: string | null;
}

/** Hides the name of an operator from members. The operators' audit log contains it. */
export const OPERATOR: ActorDto = { kind: 'operator', id: null, name: 'Operator', detail: null };

export function ActorField(description: string): PropertyDecorator {
  return ApiProperty({ type: ActorDto, nullable: true, description });
}

/** Builds SQL for the ActorDto of a row with `api_key_id` and `user_id`. The result is null if the row has neither. */
export function buildActorSql(row: string): string {
  return /* sql */ `(
    SELECT jsonb_build_object('kind', 'key', 'id', k.id, 'name', k.name, 'detail', k.prefix || '…' || k.last_four)
      FROM api_key k WHERE k.tenant_id = ${row}.tenant_id AND k.id = ${row}.api_key_id
    UNION ALL
    SELECT jsonb_build_object('kind', 'user', 'id', u.id, 'name', u.name, 'detail', u.email)
      FROM user_account u WHERE u.id = ${row}.user_id)`;
}

export function toActor({ id, name, email }: UserAccount): ActorDto {
  return { kind: 'user', id, name, detail: email };
}

/** Formats an actor for a CSV cell. */
export function formatActor(actor: ActorDto | null): string | null {
  if (actor === null) return null;
  return actor.detail === null ? actor.name : `${actor.name} (${actor.detail})`;
}
