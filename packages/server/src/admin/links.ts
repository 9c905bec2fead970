/** `http://` and the authority the client addressed, as it sent it: what every link begins with. */
export function baseUrl(host: string | undefined, adminPort: number): string {
  return `http://${host === undefined || host === '' ? `localhost:${adminPort}` : host}`;
}
