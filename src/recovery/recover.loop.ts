import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { withFailpoints } from '../common/failpoints/failpoints.js';
import { type Loop, RepeatedLoop } from '../common/loops/loop.js';

type Recognition = 'known' | 'promoted' | 'restored';

/** Dispatchers claim nothing on an unknown server (docs/decisions/0109-a-restore-is-recognised.md). */
@Injectable()
@RepeatedLoop({ name: 'recover', intervalMs: 1_000, concurrency: 1 })
export class RecoverLoop implements Loop {
  private readonly logger = new Logger(RecoverLoop.name);

  constructor(private readonly dataSource: DataSource) {}

  async tick(): Promise<number> {
    const [{ recognition }] = await withFailpoints('recover.recognise', () =>
      this.dataSource.query<{ recognition: Recognition }[]>('SELECT recognise_server() AS recognition'),
    );
    if (recognition === 'promoted') this.logger.log('The database is on a new timeline: a standby was promoted');
    if (recognition === 'restored') {
      this.logger.error('The database was restored to an earlier time: every tenant waits for "recover release"');
    }
    return 0;
  }
}
