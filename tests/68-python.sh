# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: the Python package measures a run, reads its frames in Polars and pandas, computes every
# quantile of summary.json to the digit, draws what is in it, and its notebook runs as it is.
# Runs: beside others
. tests/lib/lib.sh
python=$PWD/target/venv/bin/python
export IRQSCOPE_TEST_RUN=$WORK/run IRQSCOPE_TEST_IMPORTED=$WORK/imported

# The package as pip installs it, from a copy: its build leaves files beside the sources.
cp -r python "$WORK/source"
rm -rf "$WORK/source/build"
"$python" -m pip -q install --disable-pip-version-check --no-index --no-deps --no-build-isolation \
	--target "$WORK/site" "$WORK/source" || fail "the package does not install"
export PYTHONPATH=$WORK/site PYTHONDONTWRITEBYTECODE=1
# Nothing in the user's directories.
export MPLCONFIGDIR=$WORK/matplotlib IPYTHONDIR=$WORK/ipython JUPYTER_RUNTIME_DIR=$WORK/jupyter

expect 0 "$IRQSCOPE" run demo --kernel 6.1 --state idle --count 2200 --explain --no-report --out "$IRQSCOPE_TEST_RUN"
expect 0 "$IRQSCOPE" import "$TESTS/data/cyclictest-h.txt" --out "$IRQSCOPE_TEST_IMPORTED"
expect 0 "$python" -m pytest -q --rootdir "$WORK/source" -c "$WORK/source/pyproject.toml" \
	--basetemp "$WORK/pytest" "$WORK/source/tests"
tail -n 1 "$WORK/said"
# The installed package was tested, and not the sources.
expect 0 "$python" -c 'import irqscope; print(irqscope.__file__)'
says "$WORK/site/irqscope/__init__.py"

# Debian has no package of Polars: without it the remedy is said.
expect 1 "$python" -c 'import sys; sys.modules["polars"] = None; import irqscope'
says "python3 -m venv --system-site-packages"

"$python" "$TESTS/68-python.py" python/examples/first-run.ipynb "$WORK"
