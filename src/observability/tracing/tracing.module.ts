import { Module } from '@nestjs/common';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { Tracing } from './tracing.js';

@Module({
  providers: [
    {
      provide: Tracing,
      inject: [CONFIGURATION],
      useFactory: ({ traces }: Configuration): Promise<Tracing> => Tracing.open(traces),
    },
  ],
  exports: [Tracing],
})
export class TracingModule {}
