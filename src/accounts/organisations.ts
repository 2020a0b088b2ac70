import type { DataSource } from 'typeorm';
import type { Role } from './roles.js';

export interface Organisation {
  readonly tenantId: string;
  readonly name: string;
  readonly role: Role;
}

export function listOrganisations(dataSource: DataSource, userId: string): Promise<Organisation[]> {
  return dataSource.query<Organisation[]>(`SELECT tenant_id AS "tenantId", name, role FROM organisations_of($1)`, [
    userId,
  ]);
}
