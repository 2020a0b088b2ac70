import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AuthorityModule } from '../authority/authority.module.js';
import { PlatformLogin } from '../authority/platform-login.js';
import type { OpenLogin } from '../cli/doctor/authority-findings.js';
import { ConfigurationModule } from '../config/configuration.module.js';
import { DatabaseModule } from '../database/database.module.js';

@Module({ imports: [AuthorityModule] })
class LoginModule {}

export const openLogin: OpenLogin = async (configuration) => {
  const { databaseUrl: url, databasePreparedStatements: preparesStatements } = configuration;
  const database = { url, poolSize: 1, applicationName: 'einvoice-cli', preparesStatements };
  const imports = [ConfigurationModule.forRoot(configuration), DatabaseModule.forRoot(database)];
  const options = { logger: false, abortOnError: false } as const;
  const application = await NestFactory.createApplicationContext({ module: LoginModule, imports }, options);
  const login = application.get(PlatformLogin);
  return { try: (environment) => login.try(environment), close: () => application.close() };
};
