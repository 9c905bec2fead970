// The commands that do not serve: stop, save, replay, healthcheck.
import { findFormatter, saveJson } from '../config/formatter.js';
import { stopProcess } from '../process/pidfile.js';
import { callAdmin, urlHost } from './client.js';
import { ExitError } from './errors.js';
import type { Settings } from './settings.js';

/** @throws ExitError kind `failure` */
export async function stop(settings: Settings, missingIsError = settings.name === 'rift'): Promise<number> {
  const file = settings.pidfile ?? 'rift.pid';
  if (!(await stopProcess(file)) && missingIsError) throw new ExitError('failure', `PID file not found: ${file}`);
  return 0;
}

async function fetchImposters(settings: Settings, removeProxies: boolean): Promise<object> {
  const path = `/imposters?replayable=true${removeProxies ? '&removeProxies=true' : ''}`;
  const { status, body } = await callAdmin(settings, 'GET', path);
  if (status !== 200) throw new ExitError('failure', `Error: ${status}\n${body}`);
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === 'object' && parsed !== null) return parsed;
  } catch {
    // said below
  }
  throw new ExitError('failure', `the answer of http://${settings.host ?? 'localhost'}:${settings.port} is not JSON`);
}

/** Nothing is written unless the server answered. @throws ExitError */
export async function save(settings: Settings): Promise<number> {
  const formatter = await findFormatter(settings.formatter);
  const imposters = await fetchImposters(settings, settings.removeProxies);
  try {
    const { options, savefile, removeProxies } = settings;
    if (formatter) await formatter.save({ ...options, savefile, removeProxies }, imposters);
    else await saveJson(settings.savefile, imposters);
  } catch (error) {
    throw new ExitError('failure', `${settings.savefile} cannot be written: ${(error as Error).message}`);
  }
  return 0;
}

/** Puts the running server's imposters back without their proxies. @throws ExitError kind `failure` */
export async function replay(settings: Settings): Promise<number> {
  const imposters = await fetchImposters(settings, true);
  const { status, body } = await callAdmin(settings, 'PUT', '/imposters', JSON.stringify(imposters));
  if (status !== 200) throw new ExitError('failure', `Error: ${status}\n${body}`);
  return 0;
}

/** @throws ExitError kind `failure` unless the answer is 2xx in time */
export async function healthcheck(settings: Settings): Promise<number> {
  const anywhere = ['0.0.0.0', '::', '[::]', ''];
  const host = settings.host === undefined || anywhere.includes(settings.host) ? '127.0.0.1' : settings.host;
  const url = settings.url ?? `http://${urlHost(host)}:${settings.port}/health`;
  let status: number;
  try {
    const response = await fetch(url, {
      headers: settings.apikey === undefined ? {} : { 'x-api-key': settings.apikey },
      signal: AbortSignal.timeout(settings.timeout * 1000),
    });
    await response.body?.cancel();
    status = response.status;
  } catch (error) {
    const { cause, message } = error as Error;
    throw new ExitError('failure', `${url}: ${cause instanceof Error ? cause.message || message : message}`);
  }
  if (status < 200 || status > 299) throw new ExitError('failure', `${url}: HTTP ${status}`);
  return 0;
}
