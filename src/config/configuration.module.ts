import { type DynamicModule, Global, Module } from '@nestjs/common';
import { type Configuration, CONFIGURATION } from './configuration.js';

@Global()
@Module({})
export class ConfigurationModule {
  static forRoot(configuration: Configuration): DynamicModule {
    return {
      module: ConfigurationModule,
      providers: [{ provide: CONFIGURATION, useValue: configuration }],
      exports: [CONFIGURATION],
    };
  }
}
