"""The converter answers on both ports."""
import http.client
import json
import socket
import subprocess
import time

import pytest


@pytest.fixture(scope="module")
def ports():
    sockets = [socket.socket() for _ in range(2)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    process = subprocess.Popen(["python3", "/app/units.py", *map(str, ports)])
    for port in ports:
        for _ in range(400):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=5).close()
                break
            except OSError:
                assert process.poll() is None, "the service has ended"
                time.sleep(0.02)
    yield ports
    process.kill()
    process.wait()


def test_http(ports):
    connection = http.client.HTTPConnection("127.0.0.1", ports[0], timeout=10)
    connection.request("GET", "/convert?value=12&from=km&to=mi")
    response = connection.getresponse()
    assert response.status == 200
    body = json.loads(response.read())
    assert set(body) == {"value", "from", "to"}
    assert isinstance(body["value"], (int, float))


def test_line(ports):
    stream = socket.create_connection(("127.0.0.1", ports[1]), timeout=10).makefile("rw")
    stream.write("12 km mi\n")
    stream.flush()
    float(stream.readline())
