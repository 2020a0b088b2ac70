import type { EntityManager, EntityTarget, ObjectLiteral } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';

/** Runs `INSERT … ON CONFLICT DO NOTHING` and returns whether a row was inserted. */
export async function insertIfNew<Row extends ObjectLiteral>(
  tx: EntityManager,
  entity: EntityTarget<Row>,
  row: QueryDeepPartialEntity<Row>,
): Promise<boolean> {
  const key = tx.connection.getMetadata(entity).primaryColumns.map(({ propertyName }) => propertyName);
  const insert = tx
    .createQueryBuilder()
    .insert()
    .into(entity)
    .values(row)
    .orIgnore()
    .returning(key)
    .updateEntity(false);
  const { raw } = await insert.execute();
  return (raw as unknown[]).length > 0;
}
