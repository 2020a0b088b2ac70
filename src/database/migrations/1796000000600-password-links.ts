import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Links with which users set their passwords: made by the owner's commands, used by the API. */
export class PasswordLinks1796000000600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(/* sql */ `
CREATE TABLE password_link (
  user_id uuid NOT NULL,
  digest bytea NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT pk_password_link PRIMARY KEY (user_id),
  CONSTRAINT uq_password_link_digest UNIQUE (digest),
  CONSTRAINT fk_password_link_user FOREIGN KEY (user_id) REFERENCES user_account (id)
);
GRANT SELECT (user_id, digest, expires_at), DELETE ON password_link TO einvoice_app;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE password_link');
  }
}
