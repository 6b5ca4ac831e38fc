"""Both doors of the store, used against each other, on free ports and with values drawn here."""
import http.client
import socket
import subprocess
import time
import uuid

import pytest


def free_ports():
    sockets = [socket.socket() for _ in range(2)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


@pytest.fixture(scope="module")
def ports():
    ports = free_ports()
    process = subprocess.Popen(["python3", "/app/kvd.py", *map(str, ports)])
    for port in ports:
        for _ in range(400):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=5).close()
                break
            except OSError:
                assert process.poll() is None, "the daemon has ended"
                time.sleep(0.02)
    yield ports
    process.kill()
    process.wait()


class Lines:
    def __init__(self, port):
        self.stream = socket.create_connection(("127.0.0.1", port), timeout=10).makefile("rw", newline="\n")

    def __call__(self, command):
        self.stream.write(command + "\n")
        self.stream.flush()
        return self.stream.readline().rstrip("\r\n")


def request(port, method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, path, body=body)
    response = connection.getresponse()
    return response.status, response.read().decode()


def test_doors_share_their_data(ports):
    web, line = ports
    ask, other = Lines(line), Lines(line)
    value = f"grå {uuid.uuid4()} end"
    assert ask("GET a1") == "NONE"
    assert ask(f"SET a1 {value}") == "OK"
    assert other("GET a1") == value
    assert request(web, "GET", "/k/a1") == (200, value)
    assert request(web, "PUT", "/k/b2", "two words".encode())[0] == 204
    assert ask("GET b2") == "two words"
    assert other("COUNT") == "2"
    assert request(web, "DELETE", "/k/a1")[0] == 204
    assert request(web, "DELETE", "/k/a1")[0] == 404
    assert request(web, "GET", "/k/a1")[0] == 404
    assert ask("GET a1") == "NONE"
    assert ask("COUNT") == "1"


def test_nonsense_is_refused(ports):
    ask = Lines(ports[1])
    assert ask("FLUSH everything") == "ERR"
    assert ask("SET c3 x") == "OK"
