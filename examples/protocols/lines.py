"""A protocol of one's own, spoken by a process that is not JavaScript: every line is a request, every answer is a line.

    rift --protofile examples/protocols/protocols.json
    curl -d '{"protocol":"lines","port":4545,"greeting":"hello",
              "stubs":[{"predicates":[{"startsWith":{"line":"GET"}}],"responses":[{"is":{"line":"got it"}}]}]}' \
         localhost:2525/imposters
    printf 'GET x\n' | nc localhost 4545

The contract is Mountebank's: docs/protocols.md. Python 3.8 or later, standard library only.
"""

import json
import os
import socket
import socketserver
import sys
import threading
import urllib.parse
import urllib.request

CONFIG = json.loads(sys.argv[-1])


def log(level, message):
    print(level, message, flush=True)


def post(url, body):
    """Asks the server what to answer."""
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    if "apikey" in CONFIG:
        request.add_header("X-Api-Key", CONFIG["apikey"])
    try:
        with NO_PROXY.open(request) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        return json.load(error)


NO_PROXY = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def call_upstream(to, request):
    target = urllib.parse.urlparse(to)
    with socket.create_connection((target.hostname, target.port)) as upstream:
        lines = upstream.makefile("rw", encoding="utf-8", newline="\n")
        if CONFIG.get("greeting"):
            lines.readline()
        lines.write(request["line"] + "\n")
        lines.flush()
        return {"line": lines.readline().rstrip("\n")}


class Client(socketserver.StreamRequestHandler):
    def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)

    def send(self, line):
        self.wfile.write((str(line) + "\n").encode())

    def handle(self):
        ip, port = self.client_address[:2]
        if CONFIG.get("greeting"):
            self.send(CONFIG["greeting"])
        callback = CONFIG["callbackURLTemplate"].replace(":port", str(self.server.server_address[1]))
        for raw in self.rfile:
            line = raw.decode("utf-8", "replace").rstrip("\r\n")
            log("debug", f"{ip}:{port} => {line}")
            answer = post(callback, {"request": {"requestFrom": f"{ip}:{port}", "ip": ip, "line": line}})
            if "proxy" in answer:
                received = call_upstream(answer["proxy"]["to"], answer["request"])
                answer = {"response": post(answer["callbackURL"], {"proxyResponse": received})}
            if answer.get("blocked"):
                return
            if "errors" in answer:
                self.send("ERROR " + answer["errors"][0].get("message", ""))
                continue
            response = {**CONFIG.get("defaultResponse", {}), **answer["response"]}
            if response.get("line") is not None:
                self.send(response["line"])


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128


def end_with_server():
    """Stdin ends when the server does, however it ends."""
    sys.stdin.buffer.read()
    os._exit(0)


with Server((CONFIG.get("host", "127.0.0.1"), CONFIG.get("port", 0)), Client) as server:
    threading.Thread(target=end_with_server, daemon=True).start()
    # the first line says that the port is open; its other members become part of the imposter
    print(json.dumps({"port": server.server_address[1], "greeting": CONFIG.get("greeting", "")}), flush=True)
    server.serve_forever()
