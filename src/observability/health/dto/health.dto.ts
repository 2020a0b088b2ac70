import { ApiProperty } from '@nestjs/swagger';

const OK = { enum: ['ok'], example: 'ok' };

export class LiveDto {
  @ApiProperty({ ...OK, description: 'The process responds. Restart it if this check fails.' })
  status: 'ok';
}

export class ReadyDto {
  @ApiProperty({
    ...OK,
    description: 'The service is ready for requests. Otherwise the response is a 503 with the reason.',
  })
  status: 'ok';

  @ApiProperty({ ...OK, description: 'The database responds.' })
  database: 'ok';

  @ApiProperty({ ...OK, description: 'All migrations of this version are applied.' })
  migrations: 'ok';

  @ApiProperty({
    type: Number,
    nullable: true,
    minimum: 0,
    example: 0.8,
    description:
      'Seconds that the oldest queued document has waited, measured at most two seconds ago; null if none waits. If ' +
      'the value grows, the dispatcher or the authority does not respond.',
  })
  oldestQueuedSeconds: number | null;
}
