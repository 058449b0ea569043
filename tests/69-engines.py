# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Asks a lake by two engines that a farm may have: ClickHouse, and Spark on a cluster of two workers.

    69-engines.py LAKE WORK CACHE

Both answer what DataFusion answers. target/engines has both; the reader of Delta tables for Spark comes from Maven
Central, into CACHE.
"""

import csv
import os
import pathlib
import subprocess
import sys
import time

import chdb
import pyspark

LAKE, WORK, CACHE = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
HOME = pathlib.Path(pyspark.__file__).parent
DELTA = "io.delta:delta-spark_4.1_2.13:4.4.0"
SECONDS = 300
COLUMNS = "stage, {view}, count(*) AS n, sum(latency_ns) AS total, min(latency_ns) AS low, max(latency_ns) AS high"
QUESTION = f"SELECT {COLUMNS} FROM {{samples}} WHERE run IN (SELECT run FROM {{runs}})"
QUESTION += " GROUP BY stage, {view} ORDER BY stage, {view}"


def tables(form, view):
    """Writes the question in the words of an engine that names a table so."""
    return QUESTION.format(view=view, **{name: form.format(f"{LAKE}/{name}") for name in ("samples", "runs")})


def datafusion():
    sql = 'SELECT stage, "view", count(*), sum(latency_ns), min(latency_ns), max(latency_ns) FROM samples'
    sql += ' GROUP BY stage, "view" ORDER BY stage, "view"'
    program = ["target/venv/bin/python", "-m", "irqscope.lake", "query", sql, "--lake", LAKE]
    environment = {**os.environ, "PYTHONPATH": "python", "PYTHONDONTWRITEBYTECODE": "1"}
    return list(csv.reader(subprocess.check_output(program, text=True, env=environment).splitlines()[1:]))


def clickhouse():
    return list(csv.reader(str(chdb.query(tables("deltaLakeLocal('{}')", '"view"'), "CSV")).splitlines()))


def until(log, text):
    """Waits for a text in a log, and returns the log."""
    end = time.monotonic() + 60
    while text not in (said := log.read_text()):
        assert time.monotonic() < end, f"{log} does not say {text!r}: {said[-2000:]}"
        time.sleep(0.2)
    return said


def spark():
    """Starts a cluster as docs/lake.md says, and asks it by its own program."""
    parts = []
    environment = {**os.environ, "SPARK_HOME": str(HOME), "PYSPARK_PYTHON": sys.executable}

    def start(name, *words):
        log = WORK / f"spark-{name}.log"
        with log.open("wb") as file:
            command = [HOME / "bin/spark-class", *words]
            parts.append(subprocess.Popen(command, stdout=file, stderr=file, env=environment))
        return log

    deploy = "org.apache.spark.deploy"
    try:
        here = ["--host", "127.0.0.1", "--webui-port", "0"]
        master = start("master", f"{deploy}.master.Master", *here, "--port", "0")
        said = until(master, "Starting Spark master at ")
        place = said.split("Starting Spark master at ")[1].split()[0]
        own = ["--cores", "1", "--memory", "1g", "--work-dir"]
        for number in (1, 2):
            start(number, f"{deploy}.worker.Worker", *here, *own, str(WORK / f"spark-{number}"), place)
        until(WORK / "spark-1.log", "Successfully registered")
        until(WORK / "spark-2.log", "Successfully registered")
        settings = {
            "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
            "spark.jars.ivy": f"{CACHE}/ivy",
            "spark.sql.warehouse.dir": str(WORK / "warehouse"),
            "spark.driver.host": "127.0.0.1",
        }
        program = [HOME / "bin/spark-sql", "--master", place, "--packages", DELTA]
        for name, value in settings.items():
            program += ["--conf", f"{name}={value}"]
        program += ["-e", tables("delta.`{}`", "view")]
        log = WORK / "spark-sql.log"
        with log.open("wb") as file:
            how = {"env": environment, "cwd": WORK, "text": True, "timeout": SECONDS, "check": False}
            answer = subprocess.run(program, stdout=subprocess.PIPE, stderr=file, **how)
        assert answer.returncode == 0, log.read_text()[-4000:]
        said = until(master, "Registered app")
        assert said.count("Launching executor") == 2, said
        return [line.split("\t") for line in answer.stdout.splitlines()]
    finally:
        for part in reversed(parts):
            part.terminate()
        for part in parts:
            part.wait(30)


expected = datafusion()
assert len(expected) == 4, expected
for engine in (clickhouse, spark):
    began = time.monotonic()
    found = engine()
    assert found == expected, (engine.__name__, found, expected)
    print(f"{engine.__name__} answers the same in {time.monotonic() - began:.1f} s")
