import { ApiProperty } from '@nestjs/swagger';

export class LiveDto {
  @ApiProperty({ enum: ['ok'], example: 'ok' })
  status: 'ok';
}

export class ReadyDto {
  @ApiProperty({ enum: ['ok'], example: 'ok' })
  status: 'ok';

  @ApiProperty({ enum: ['ok'], example: 'ok', description: 'The database answers.' })
  database: 'ok';

  @ApiProperty({ enum: ['ok'], example: 'ok', description: 'All migrations of this version are applied.' })
  migrations: 'ok';

  @ApiProperty({
    type: Number,
    nullable: true,
    example: 0.8,
    description: 'Age of the document that has waited longest to be sent, in seconds; null when none waits.',
  })
  oldestQueuedSeconds: number | null;
}
