import { ApiProperty } from '@nestjs/swagger';

const OK = { enum: ['ok'], example: 'ok' };

export class LiveDto {
  @ApiProperty({ ...OK, description: 'The process runs and answers. What does not answer is to be started again.' })
  status: 'ok';
}

export class ReadyDto {
  @ApiProperty({ ...OK, description: 'Requests may be sent here. What is not ready answers 503 and says why.' })
  status: 'ok';

  @ApiProperty({ ...OK, description: 'The database answers.' })
  database: 'ok';

  @ApiProperty({ ...OK, description: 'All migrations of this version are applied.' })
  migrations: 'ok';

  @ApiProperty({
    type: Number,
    nullable: true,
    minimum: 0,
    example: 0.8,
    description:
      'How long the document that has waited longest is in its queue, in seconds, at most two seconds ago; null when ' +
      'none waits. When it grows, the dispatcher or the authority does not answer.',
  })
  oldestQueuedSeconds: number | null;
}
