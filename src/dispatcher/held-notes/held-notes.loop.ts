import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { withFailpoints } from '../../common/failpoints/failpoints.js';
import { readServiceNow } from '../../database/clock.js';
import { decideHeldNotes } from '../queue/held-notes.js';
import { type Loop, RepeatedLoop } from '../../common/loops/loop.js';

/** Decides credit notes that were held because their parent was settled while they were being accepted. */
@Injectable()
@RepeatedLoop({ name: 'hold', intervalMs: 1_000, concurrency: 1 })
export class HeldNotesLoop implements Loop {
  constructor(private readonly dataSource: DataSource) {}

  tick(): Promise<number> {
    return withFailpoints('hold.decide', () =>
      this.dataSource.transaction(async (tx) => decideHeldNotes(tx, { tenantId: null, now: await readServiceNow(tx) })),
    );
  }
}
