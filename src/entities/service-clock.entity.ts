import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The offset of a movable `service_now()` (src/database/movable-clock.ts). */
@Entity('service_clock')
@Check('ck_service_clock_single', `id = 1`)
export class ServiceClock {
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'pk_service_clock', default: 1 })
  id: number;

  @Column('double precision', { default: 0 })
  offsetSeconds: number;
}
